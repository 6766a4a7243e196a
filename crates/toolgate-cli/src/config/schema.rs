//! The JSON Schema of our own file, for editors and for whoever writes the file by a program.

use crate::exit::Exit;
use crate::show::print;

/// The same text stands in `docs/reference/`.
const SCHEMA: &str = include_str!("schema.json");

pub(super) fn print_schema() -> Result<Exit, Exit> {
    print(SCHEMA)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::own;
    use crate::servers::tree::{Kind, Node, Syntax};
    use toolgate::json::quoted;
    use toolgate::{Arguments, Contract};

    fn json(node: &Node) -> String {
        match &node.kind {
            Kind::Nothing | Kind::Elsewhere => "null".to_owned(),
            Kind::Flag(flag) => flag.to_string(),
            Kind::Number(digits) => digits.clone(),
            Kind::Text(text) => quoted(text),
            Kind::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
            Kind::Object(members) => {
                let members = members.iter().map(|member| format!("{}:{}", quoted(&member.name), json(&member.value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
        }
    }

    #[test]
    fn the_schema_and_the_reader_admit_the_same_files() {
        let contract = Contract::from_text(SCHEMA).unwrap();
        let good = [
            "",
            "\"$schema\" = 'x'\n",
            "[servers]\n",
            "[servers.a]\ncommand = 'x'\n",
            "[servers.a]\ncommand = 'x'\nargs = []\nenv = {}\ncwd = '.'\npolicy = 'p.toml'\n",
            "[servers.a]\ncommand = 'x'\nargs = ['', '${V}']\nenv = { A = '', B = '${B:-}' }\n",
            "[servers.'a b']\nurl = 'http://h'\nheaders = { 'X-Y' = 'z' }\nbearer_env = 'T_1'\npolicy = 'p'\n",
            "servers.a.command = 'x'\nservers.b = { url = 'u' }\n",
        ];
        let bad = [
            "server = {}\n",
            "servers = []\n",
            "servers = 'x'\n",
            "\"$schema\" = 1\n",
            "[servers]\na = 'x'\n",
            "[servers.a]\n",
            "[servers.a]\ncommand = ''\n",
            "[servers.a]\ncommand = 1\n",
            "[servers.a]\ncommand = ['x']\n",
            "[servers.a]\ncommand = 'x'\nurl = 'y'\n",
            "[servers.a]\ncommand = 'x'\nargs = 'y'\n",
            "[servers.a]\ncommand = 'x'\nargs = [1]\n",
            "[servers.a]\ncommand = 'x'\nenv = { A = 1 }\n",
            "[servers.a]\ncommand = 'x'\nenv = []\n",
            "[servers.a]\ncommand = 'x'\ncwd = ''\n",
            "[servers.a]\ncommand = 'x'\npolicy = 1\n",
            "[servers.a]\ncommand = 'x'\nheaders = {}\n",
            "[servers.a]\ncommand = 'x'\nbearer_env = 'T'\n",
            "[servers.a]\ncommand = 'x'\ntype = 'stdio'\n",
            "[servers.a]\nurl = ''\n",
            "[servers.a]\nurl = 'u'\nargs = []\n",
            "[servers.a]\nurl = 'u'\nenv = {}\n",
            "[servers.a]\nurl = 'u'\ncwd = '.'\n",
            "[servers.a]\nurl = 'u'\nheaders = { A = true }\n",
            "[servers.a]\nurl = 'u'\nbearer_env = ''\n",
            "[servers.a]\nurl = 'u'\nbearer_env = '1T'\n",
            "[servers.a]\nurl = 'u'\nbearer_env = 'T T'\n",
        ];
        for (text, is_good) in good.iter().map(|text| (text, true)).chain(bad.iter().map(|text| (text, false))) {
            assert_eq!(own::read(text).is_ok(), is_good, "the reader: {text}");
            let arguments = json(&Syntax::Toml.read(text).unwrap());
            assert_eq!(contract.check(Arguments::from_text(&arguments)).is_ok(), is_good, "the schema: {text}");
        }
    }
}
