import type { Client } from '../../../client/client.ts';
import { getAgent } from '../../../contract/areas/agents/endpoints.ts';
import { getFaq } from '../../../contract/areas/faqs/endpoints.ts';
import { askAgent } from '../../../contract/areas/sandbox/conversations.ts';
import { requireAccountId } from '../../lookups/sandbox-account.ts';
import type { Session } from '../../verb/noun.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { terminalSafe } from '../../output/cell.ts';
import type { Result } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import { TableFormatter } from '../../output/table.ts';
import { wrappedFor } from '../../output/wrap.ts';

/** Descriptions of the kinds of answers. */
const sources: Readonly<Record<string, string>> = {
  faq: 'the answer of the best FAQ',
  clarify: 'several FAQs match: the agent asks which one is meant',
  greeting: 'a greeting: no FAQ was needed',
  handover: 'a person must answer: no FAQ matches well enough, or the contact asks for a person',
  model: 'written by the AI model',
  none: 'the AI model failed, so the agent is silent',
};

/** How many of the FAQs that did not answer are shown. */
const rejectedShown = 3;

/** Whether an agent has no FAQs. It greets whatever it is asked then. */
async function hasNoFaqs(client: Client, agentId: string): Promise<boolean> {
  return (await client.call(getAgent, { params: { agentId } })).agent.faq_refs_count === 0;
}

/** Shows how an agent would answer, with the FAQs that were considered, their scores and pages. */
export async function ask(session: Session, [agent = '', question = '']: readonly string[]): Promise<Result> {
  const { targets, names, world, globals } = session;
  const client = await targets.client();
  const sandbox = await targets.sandboxClient();
  const agentId = await names.id(agentLookup, agent);
  const id = await requireAccountId(globals.subAccount?.[0], session);
  const { answer, source, faqs } = await sandbox.call(askAgent, { params: { id }, body: { agent_id: agentId, question } });
  const considered = await Promise.all(
    faqs.map(async (each) => {
      const { faq } = await client.call(getFaq, { params: { faqId: each.faq_id } });
      // If a FAQ comes from a page, its category is the URL of the page; other FAQs have arbitrary categories.
      return { ...each, question: faq.question, page: each.source_id === null ? null : faq.category };
    }),
  );
  const record = { answer, source, faqs: considered };
  const columns = ['score', 'question', 'page', 'url', 'faq_id'];
  const table = new TableFormatter(columns, screenOf(world.stdout, world, globals.wide));
  const isRejected = source === 'handover' || source === 'greeting';
  const rows = considered.slice(0, isRejected ? rejectedShown : undefined).map((row) => ({ ...row, score: row.score.toFixed(2) }));
  const title = isRejected ? 'The FAQs that come nearest, which it rejected:\n' : '';
  const drawn = rows.length === 0 ? 'No FAQ has a word of the question.\n' : title + (await table.page(rows)) + table.end();
  const said = answer === null ? 'No answer.' : terminalSafe(answer);
  const knowsNothing = source === 'greeting' && rows.length === 0 && (await hasNoFaqs(client, agentId));
  const why = knowsNothing ? 'a greeting: the agent has no FAQs to answer from' : sources[source ?? 'none'];
  const text = `${wrappedFor(world.stdout, `${said}\n\n(${why})`)}\n\n${drawn}`;
  return { kind: 'record', answer: record, record, text };
}
