import type { EndpointName } from '../../src/contract/endpoints.ts';
import type { TestService } from './test-service.ts';

/** What a well-formed call of an endpoint says: enough to succeed for who may make it. */
export interface Sample {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: Record<string, unknown>;
}

type InterfaceName = Exclude<EndpointName, `sandbox.${string}`>;

/** Makes records on an account, and a sample call for every endpoint that needs one: `{}` for the others. */
export async function makeSamples(service: TestService, key: string): Promise<Record<InterfaceName, Sample>> {
  const unique = Math.random().toString(36).slice(2);
  const make = async (path: string, body: Record<string, unknown>) =>
    (await service.post(path, body, { key })).body as Record<string, { id: string }>;
  const tag = (await make('/tags', { name: `sample ${unique}` })).tag?.id ?? '';
  const doomedTag = (await make('/tags', { name: `doomed ${unique}` })).tag?.id ?? '';
  const list = (await make('/lists', { name: 'sample' })).list?.id ?? '';
  const doomedList = (await make('/lists', { name: 'doomed' })).list?.id ?? '';
  const apiKey = (await make('/api-keys', { label: 'sample' })).key?.id ?? '';
  const subAccount = (await make('/subaccounts', { name: 'sample' })).sub_account?.id ?? 'acc_none';
  const doomedAccount = (await make('/subaccounts', { name: 'doomed' })).sub_account?.id ?? 'acc_none';
  const receiver = { url: 'http://127.0.0.1:9/hook', subscribed_to: ['Replies'] };
  for (const name of [`sample ${unique}`, `doomed ${unique}`]) await make('/webhooks', { ...receiver, name });
  const webhook = { params: { webhookId: `sample ${unique}` } };
  return {
    'health.get': {},
    'openapi.get': {},
    'keys.current': {},
    'keys.usage': {},
    'keys.list': {},
    'keys.create': { body: { label: 'made by a sample' } },
    'keys.update': { params: { id: apiKey }, body: { label: 'changed by a sample' } },
    'keys.revoke': { params: { id: apiKey } },
    'keys.rotate': {},
    'keys.revokeCurrent': {},
    'users.me': {},
    'users.credits': {},
    'team.list': {},
    'subaccounts.list': {},
    'subaccounts.create': { body: { name: 'made by a sample' } },
    'subaccounts.get': { params: { id: subAccount } },
    'subaccounts.delete': { params: { id: doomedAccount } },
    'subaccounts.transferCredits': { params: { id: subAccount }, body: { amount: 1 } },
    'tags.list': {},
    'tags.create': { body: { name: `made ${unique}` } },
    'tags.update': { params: { id: tag }, body: { description: 'changed by a sample' } },
    'tags.delete': { params: { id: doomedTag } },
    'lists.list': {},
    'lists.create': { body: { name: 'made by a sample' } },
    'lists.update': { params: { id: list }, body: { name: 'changed by a sample' } },
    'lists.delete': { params: { id: doomedList } },
    'channels.list': {},
    'webhooks.list': {},
    'webhooks.events': {},
    'webhooks.create': { body: { ...receiver, name: `made ${unique}` } },
    'webhooks.update': { ...webhook, body: { retries_enabled: true } },
    'webhooks.delete': { params: { webhookId: `doomed ${unique}` } },
    'webhooks.test': webhook,
    'webhooks.health': webhook,
    'webhooks.reenable': webhook,
    'webhooks.getSigningSecret': webhook,
    'webhooks.rotateSigningSecret': webhook,
    'webhooks.removeSigningSecret': webhook,
  };
}
