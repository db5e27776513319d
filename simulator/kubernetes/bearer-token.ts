import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The one token that the API server accepts. With a file, the file is the truth: whoever writes it rotates the token. */
export class BearerToken {
  readonly #file: string | undefined;
  #value: string;

  constructor(value: string | undefined, file: string | undefined) {
    this.#file = file;
    this.#value = value ?? newToken();
    if (file !== undefined && (value !== undefined || !existsSync(file))) this.#writeFile(file);
  }

  get value(): string {
    return this.#file === undefined ? this.#value : readFileSync(this.#file, 'utf8').trim();
  }

  rotate(value: string = newToken()): void {
    this.#value = value;
    if (this.#file !== undefined) this.#writeFile(this.#file);
  }

  /** Whether an Authorization header carries the token. */
  accepts(authorization: string | undefined): boolean {
    const [, sent] = /^Bearer\s+(\S+)$/iu.exec(authorization ?? '') ?? [];
    if (sent === undefined) return false;
    const [one, other] = [Buffer.from(sent), Buffer.from(this.value)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  #writeFile(file: string): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${this.#value}\n`, { mode: 0o600 });
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
