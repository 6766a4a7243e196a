#!/usr/bin/env node
// Starts the program that was installed for this platform, and ends as it ends.
'use strict';

const { spawn } = require('node:child_process');

const platform = `@toolgate/${process.platform}-${process.arch}`;

// What a shell says where there is no such program; toolgate itself ends with none of these.
const NOT_FOUND = 127;
const NOT_STARTED = 126;

function program() {
  try {
    return require.resolve(`${platform}/bin/toolgate`);
  } catch {
    complain(
      `the package ${platform} is not installed. It comes with this one where there is one for this platform: ` +
        'install again without --omit=optional, or build the program with cargo.',
    );
    process.exit(NOT_FOUND);
  }
}

function complain(why) {
  process.stderr.write(`toolgate: ${why}\n`);
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });

// A client that ends its server signals the process it started, which is this one. From a terminal an interrupt reaches the program
// without us, and a second one would mean more than the first.
const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT' || !atTerminal) {
      child.kill(signal);
    }
  });
}

child.on('error', (error) => {
  complain(`${platform} cannot be started: ${error.code}`);
  process.exit(NOT_STARTED);
});

child.on('exit', (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
