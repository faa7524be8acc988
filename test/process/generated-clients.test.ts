import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { it } from '../support/workplace-test.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(endpoints))) as OpenAPI3;
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Compiles files strictly, and fails with what the compiler says. */
function compile(folder: string, ...files: string[]): void {
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--allowImportingTsExtensions',
  ];
  try {
    execFileSync(process.execPath, [compiler, ...options, ...files.map((file) => join(folder, file))], { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    throw new Error((error as { stdout: Buffer }).stdout.toString().slice(0, 4_000));
  }
}

// What a program does with the types that a generator makes. A name that is missing does not compile.
it('openapi-typescript makes types with the names of records', async ({ workplace }) => {
  writeFileSync(join(workplace.path, 'api.ts'), astToString(await openapiTypescript(document)));
  writeFileSync(
    join(workplace.path, 'use.ts'),
    `import type { components, paths, webhooks } from './api.ts';
type Contact = components['schemas']['Contact'];
export const nameOf = (contact: Contact): string | null => contact.first_name;
export type Listed = paths['/contacts']['get']['responses'][200]['content']['application/json'];
export const first = (listed: Listed): Contact | undefined => listed.contacts[0];
type Delivery = webhooks['Contact Created']['post']['requestBody']['content']['application/json'];
export const created = (delivery: Delivery): Contact => delivery.data.contact;
`,
  );
  compile(workplace.path, 'api.ts', 'use.ts');
});

it('hey-api makes a client with the names of records', async ({ workplace }) => {
  const output = join(workplace.path, 'client');
  await createClient({ input: document as never, output: { path: output }, plugins: ['@hey-api/typescript'], logs: { level: 'silent' } });
  const types = readFileSync(join(output, 'types.gen.ts'), 'utf8');
  for (const name of ['Contact', 'Message', 'Webhook', 'Agent', 'Appointment', 'Broadcast', 'Template', 'SubAccount'])
    expect(types).toContain(`export type ${name} = {`);
  writeFileSync(
    join(output, 'use.ts'),
    `import type { Contact, ContactsListResponses } from './types.gen';
export const first = (listed: ContactsListResponses[200]): Contact | undefined => listed.contacts[0];
`,
  );
  compile(output, 'types.gen.ts', 'use.ts');
});
