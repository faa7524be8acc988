import { expect } from 'vitest';
import type { TestService } from './test-service.ts';

/** Runs the due jobs and expects no errors. */
export async function settle(service: TestService): Promise<void> {
  expect((await service.sandbox('POST', '/settle')).status).toBe(200);
  expect(service.errors).toEqual([]);
}

/** An agent with a campaign from whose FAQs it answers. */
export class KnowingAgent {
  readonly #service: TestService;
  readonly id: string;
  readonly campaign: string;

  private constructor(service: TestService, id: string, campaign: string) {
    this.#service = service;
    this.id = id;
    this.campaign = campaign;
  }

  static async make(service: TestService, fields: Record<string, unknown> = {}): Promise<KnowingAgent> {
    const { body } = await service.post('/agents', { name: 'Ada', ...fields });
    const { campaign } = (await service.post('/campaigns', { name: 'Support', agent_id: body.agent_id })).body;
    return new KnowingAgent(service, body.agent_id as string, campaign.id as string);
  }

  /** Creates FAQs. @param texts their questions and answers @param fields other fields of each @returns their ids */
  async learn(texts: readonly (readonly [question: string, answer: string])[], fields: Record<string, unknown> = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let from = 0; from < texts.length; from += 500) {
      const faqs = texts.slice(from, from + 500).map(([question, answer]) => ({ question, answer, ...fields }));
      const { status, body } = await this.#service.post('/faqs/import', { campaign_id: this.campaign, faqs });
      expect(status).toBe(200);
      ids.push(...(body.faq_ids as string[]));
    }
    return ids;
  }

  async ask(question: string) {
    const { accountId } = this.#service;
    const { status, body } = await this.#service.sandbox('POST', `/accounts/${accountId}/ask`, { agent_id: this.id, question });
    expect(status).toBe(200);
    return body as {
      answer: string | null;
      source: string | null;
      faqs: { faq_id: string; score: number; source_id: string | null; url: string | null }[];
    };
  }

  /** The ids of the FAQs found for a question. */
  async find(question: string): Promise<string[]> {
    return (await this.ask(question)).faqs.map(({ faq_id: id }) => id);
  }
}
