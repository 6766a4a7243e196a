#[test]
fn t() {
    let d: serde_json::Value = serde_json::from_str(&std::fs::read_to_string("../../cases/judge.json").unwrap()).unwrap();
    for c in d["cases"].as_array().unwrap() {
        if ["S133", "B323-4", "T052-2","T054-3"].contains(&c["id"].as_str().unwrap()) {
            println!("{} {}", c["id"], toolgate::Contract::from_text(&c["request"]["schema"].to_string()).unwrap().skeleton());
        }
    }
}
