#!/usr/bin/env node
import process from 'node:process';
import { run } from './command-line.ts';

process.exitCode = await run(process.argv.slice(2));
// All is done; a client library that still waits for an answer does not keep the process.
setTimeout(() => process.exit(), 1000).unref();
