import { expect } from 'vitest';
import { settle } from './agents.ts';
import type { Answer, TestService } from './test-service.ts';

/** The fields of a FAQ that tests of sources need. */
export interface SourceFaq {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly is_active: boolean;
}

/** The state of a source. */
export interface SourceState {
  readonly status: string;
  readonly faq_count: number;
  readonly section_count: number;
  readonly error_message: string | null;
}

/** The knowledge base of the account of a test. */
export class Knowledge {
  readonly service: TestService;
  /** The campaign that imports are linked to. */
  readonly campaign: string;

  private constructor(service: TestService, campaign: string) {
    this.service = service;
    this.campaign = campaign;
  }

  static async make(service: TestService): Promise<Knowledge> {
    const { body } = await service.post('/campaigns', { name: 'Knowledge' });
    return new Knowledge(service, body.campaign.id as string);
  }

  /** Updates the account through the sandbox. */
  async account(change: Record<string, unknown>): Promise<void> {
    expect((await this.service.sandbox('PATCH', `/accounts/${this.service.accountId}`, change)).status).toBe(200);
  }

  async balance(): Promise<number> {
    return (await this.service.get('/users/me/credits')).body.balance as number;
  }

  /** Uploads a file. @returns its storage path */
  async upload(name: string, content: string | Uint8Array): Promise<string> {
    const path = `/accounts/${this.service.accountId}/uploads?filename=${encodeURIComponent(name)}`;
    const { status, body } = await this.service.sandbox('POST', path, undefined, { raw: content });
    expect(status).toBe(201);
    return body.storage_path as string;
  }

  /** Requests the import of a page. */
  page(url: string, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.service.post('/kb-sources/url', { url, autoLinkToCampaignId: this.campaign, ...more });
  }

  pages(urls: readonly string[], more: Record<string, unknown> = {}): Promise<Answer> {
    return this.service.post('/kb-sources/bulk-import', { urls, autoLinkToCampaignId: this.campaign, ...more });
  }

  /** Requests the import of a file that was uploaded. */
  file(path: string, filename: string, more: Record<string, unknown> = {}): Promise<Answer> {
    const body = { storage_path: path, filename, mime_type: 'application/octet-stream', autoLinkToCampaignId: this.campaign, ...more };
    return this.service.post('/kb-sources/file', body);
  }

  /** Imports a page. @returns the id of its source */
  async importPage(url: string, more: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.page(url, more);
    expect(status).toBe(202);
    await settle(this.service);
    return body.source_id as string;
  }

  /** Uploads and imports a document. @returns the id of its source */
  async importFile(name: string, content: string | Uint8Array, more: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.file(await this.upload(name, content), name, more);
    expect(status).toBe(202);
    await settle(this.service);
    return body.source_id as string;
  }

  async state(id: string): Promise<SourceState> {
    const { status, body } = await this.service.get(`/kb-sources/${id}`);
    expect(status).toBe(200);
    return body as SourceState;
  }

  async status(id: string): Promise<string> {
    return (await this.state(id)).status;
  }

  /** All FAQs of the campaign, oldest first. */
  async faqs(): Promise<SourceFaq[]> {
    const { body } = await this.service.get(`/faqs?limit=100&campaign_id=${this.campaign}`);
    return (body.faqs as SourceFaq[]).toReversed();
  }

  /** The answers by question. */
  async answers(): Promise<Record<string, string>> {
    return Object.fromEntries((await this.faqs()).map(({ question, answer }) => [question, answer]));
  }

  /** Keeps jobs of the given kinds queued; without arguments, releases all jobs. */
  async hold(...kinds: string[]): Promise<void> {
    expect((await this.service.sandbox('POST', '/jobs', { hold: kinds })).status).toBe(200);
  }
}
