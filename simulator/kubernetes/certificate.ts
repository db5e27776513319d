// A decorator library under @peculiar/x509 wants it, and first.
import 'reflect-metadata/lite';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** PEM texts of a certificate authority and of a server certificate that it has signed. */
export interface ServerCertificate {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A new certificate authority and a server certificate for localhost; both hold for a year. */
export async function createServerCertificate(hosts: readonly string[] = []): Promise<ServerCertificate> {
  const authorityKeys = await newKeys();
  const serverKeys = await newKeys();
  const validity = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 365 * DAY_MS),
  };
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=gke-simulator-ca',
    signingAlgorithm: ALGORITHM,
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign + KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const server = await X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=kube-apiserver',
    issuer: authority.subject,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: await serverExtensions(authority, hosts),
  });
  return {
    ca: authority.toString('pem'),
    certificate: server.toString('pem'),
    key: await keyPem(serverKeys),
  };
}

async function serverExtensions(authority: X509Certificate, hosts: readonly string[]) {
  return [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
      ...['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', ...hosts].map(
        (value) => ({ type: 'dns', value }) as const,
      ),
    ]),
    await AuthorityKeyIdentifierExtension.create(authority),
  ];
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = der.toString('base64').match(/.{1,64}/gu) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
