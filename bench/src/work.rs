//! The operations that are measured: ours, and those of the validators that stand beside.

use crate::counting::Work;
use crate::shapes::Shape;
use boon::{Compiler, Schemas};
use serde_json::Value;
use std::hint::black_box;
use toolgate::json::{Document, Strictness};
use toolgate::{Arguments, Contract, Limits};

pub const PARSE: &str = "parse (serde_json::Value)";
pub const READ: &str = "strict read";
pub const CHECK: &str = "strict read + check";
pub const REFUSE: &str = "full refusal";
pub const REFUSE_ONE: &str = "refusal, one member wrong";
pub const COMPILE: &str = "compile";

/// In the order of the tables.
pub const OPERATIONS: [&str; 13] = [
    PARSE,
    READ,
    CHECK,
    REFUSE,
    REFUSE_ONE,
    COMPILE,
    "jsonschema: is_valid",
    "jsonschema: parse + is_valid",
    "jsonschema: all errors of the bad call as text",
    "jsonschema: compile",
    "boon: validate",
    "boon: errors of the bad call as text",
    "boon: compile",
];

/// The operation of this name on the shape, ready to be repeated.
pub fn work<'a>(shape: &'a Shape, operation: &str) -> Work<'a> {
    match operation.split_once(": ") {
        Some(("jsonschema", rest)) => jsonschema_work(shape, rest),
        Some(("boon", rest)) => boon_work(shape, rest),
        Some(("rmcp", rest)) => crate::in_process::own_work(shape, rest),
        _ => own_work(shape, operation),
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(black_box(text)).expect("the calls are JSON")
}

fn own_work<'a>(shape: &'a Shape, operation: &str) -> Work<'a> {
    let limits = Limits::default();
    let contract = || Contract::from_text(black_box(&shape.schema)).expect("the shapes compile");
    match operation {
        PARSE => Box::new(|| {
            black_box(parse(&shape.good));
        }),
        READ => Box::new(move || {
            black_box(
                Document::read_str(black_box(&shape.good), Strictness::Strict, &limits).expect("the calls are JSON"),
            );
        }),
        CHECK => {
            let contract = contract();
            Box::new(move || {
                black_box(
                    contract.check(Arguments::from_text(black_box(&shape.good))).expect("the good call is admitted"),
                );
            })
        }
        REFUSE | REFUSE_ONE => {
            let contract = contract();
            let call = if operation == REFUSE { &shape.bad } else { &shape.slip };
            Box::new(move || {
                let refusal = contract.check(Arguments::from_text(black_box(call))).expect_err("the call is refused");
                black_box(refusal.text());
            })
        }
        COMPILE => Box::new(move || {
            black_box(contract());
        }),
        other => panic!("no operation {other}"),
    }
}

fn jsonschema_work<'a>(shape: &'a Shape, operation: &str) -> Work<'a> {
    let schema = shape.schema_value();
    let validator = jsonschema::validator_for(&schema).expect("the shapes compile");
    let (good, bad) = (parse(&shape.good), parse(&shape.bad));
    match operation {
        "is_valid" => Box::new(move || {
            black_box(validator.is_valid(black_box(&good)));
        }),
        "parse + is_valid" => Box::new(move || {
            black_box(validator.is_valid(&parse(&shape.good)));
        }),
        "all errors of the bad call as text" => Box::new(move || {
            black_box(validator.iter_errors(black_box(&bad)).map(|error| error.to_string()).collect::<Vec<_>>());
        }),
        "compile" => Box::new(move || {
            black_box(jsonschema::validator_for(black_box(&schema)).expect("the shapes compile"));
        }),
        other => panic!("no operation {other}"),
    }
}

fn boon_work<'a>(shape: &'a Shape, operation: &str) -> Work<'a> {
    let schema = shape.schema_value();
    let compile = move || {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        compiler.add_resource("schema.json", black_box(schema.clone())).expect("the schema is added");
        let index = compiler.compile("schema.json", &mut schemas).expect("the shapes compile");
        (schemas, index)
    };
    if operation == "compile" {
        return Box::new(move || {
            black_box(compile());
        });
    }
    let (schemas, index) = compile();
    let value = parse(if operation == "validate" { &shape.good } else { &shape.bad });
    Box::new(move || {
        black_box(schemas.validate(black_box(&value), index).map_err(|error| error.to_string()).is_ok());
    })
}
