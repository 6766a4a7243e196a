//! Guards the server whose command is given, with every decision left at its default: `guard COMMAND ARGUMENTS…`.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use toolgate_gateway::policy::ServerPolicy;
    use toolgate_gateway::record::{Format, Level};
    use toolgate_gateway::relay::{Config, RelayLimits};
    use toolgate_gateway::stdio::{Guard, instance};

    let mut words = std::env::args_os().skip(1);
    let Some(command) = words.next() else { return std::process::ExitCode::from(64) };
    let policy = ServerPolicy::discovered().into();
    let relay = Config { policy, limits: RelayLimits::default(), instance: instance() };
    let guard = Guard {
        command,
        arguments: words.collect(),
        relay,
        log_format: Format::Text,
        log_level: Level::Info,
        keeping: None,
    };
    std::process::ExitCode::from(guard.run().exit_code())
}

#[cfg(not(unix))]
fn main() {}
