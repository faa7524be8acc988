import { updateState } from '../clock/state.ts';
import { prepared } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';
import { digest, hasDigest, newSecret } from './secrets.ts';

const storedDigest = prepared<object, { sandbox_token_digest: string }>((db) =>
  db.selectFrom('service_state').select('sandbox_token_digest'),
);

/** Whether a token is the sandbox token of the store. */
export async function acceptsSandboxToken(store: Store, token: string): Promise<boolean> {
  const [state] = await store.read((db) => storedDigest(db, {}));
  return state !== undefined && hasDigest(token, state.sandbox_token_digest);
}

/** Replaces the sandbox token. Only its digest is stored. */
export async function setSandboxToken(store: Store, token: string): Promise<void> {
  await store.write((db) => updateState(db, { sandbox_token_digest: digest(token) }));
}

/** Creates a new sandbox token. The old token stops working. */
export async function renewSandboxToken(store: Store): Promise<string> {
  const token = newSecret('sandbox_');
  await setSandboxToken(store, token);
  return token;
}
