//! Writes the inputs to begin with, `corpus/TARGET/NUMBER`, from the cases of this repository.

use std::io::Result;
use std::path::Path;

fn main() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = std::fs::read_to_string(here.join("../cases/judge.json"))?;
    for (index, (target, seed)) in toolgate_fuzz::seeds(&cases).into_iter().enumerate() {
        let folder = here.join("corpus").join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(index.to_string()), seed)?;
    }
    Ok(())
}
