import process from 'node:process';
import { installMissingTools } from './tools.ts';

try {
  installMissingTools();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
