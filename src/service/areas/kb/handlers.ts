import { documentEndings, formatOfName } from '../../../contract/areas/kb/formats.ts';
import type { Account } from '../../identity/accounts.ts';
import { invalidField } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler, type Service } from '../../http/handler.ts';
import { checkPage } from '../../network/address-rules.ts';
import { laneOf } from '../../jobs/lanes.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { requireAgent } from '../agents/records.ts';
import { campaigns } from '../campaigns/table.ts';
import { cancelImports, resumeImports } from './cancelling.ts';
import { checkCredits, checkImport } from './checks.ts';
import { hostOf, namedHost, namedWebsite, pageAddress, pageKey } from '../../../contract/areas/kb/address.ts';
import { beginDeletion, leaveJobs } from './deletion.ts';
import { estimate } from './estimate.ts';
import { ownPath } from '../uploads/files.ts';
import { importPages, refreshSource } from './importing.ts';
import { findLinkTarget, linkPresent } from './linking.ts';
import { newPage, queueSources } from './queueing.ts';
import { findPresent, listSources, sourceRecords, sourceState } from './records.ts';
import { deleteSourceFaqs, releaseFaqs } from './source-faqs.ts';
import { textRecord } from './source-texts.ts';
import type { FoundPage } from './sites/found-pages.ts';
import { sources } from './table.ts';
import { checkMaxPages, comparePages, findPages } from './websites.ts';
import { beginWebsiteRefresh, cancelWebsiteRefresh, findLastRefresh, refreshRecord } from './website-refresh.ts';

/** @throws ApiError 400 when the page must not be read */
async function publicPage({ crawling, outbound }: Service, text: string, field: string): Promise<URL> {
  const url = await checkPage(pageAddress(text), field, { allowPrivate: crawling.allowPrivate, resolve: outbound.resolve });
  await crawling.forgetRules(url);
  return url;
}

/** The handlers of the area. */
export const kbHandlers: AreaHandlers<'kb'> = {
  'kb.list': async ({ db, account, query, page }) => {
    if (query.agent_id !== undefined) await requireAgent(db, account.id, query.agent_id);
    const filter = { status: query.status, host: hostNamed(query.host), agentId: query.agent_id };
    const { rows, next_cursor } = await page((before, limit) => listSources(db, account.id, filter, before, limit));
    return { sources: await sourceRecords(db, rows), next_cursor };
  },

  'kb.get': async ({ db, account, params }) => await sourceState(db, await sources.require(db, account.id, params.sourceId)),

  'kb.text': async ({ db, account, params }) => await textRecord(db, await sources.require(db, account.id, params.sourceId)),

  'kb.importPage': preparedHandler(
    ({ body, service }) => publicPage(service, body.url, 'url'),
    async ({ db, account, body, now }, url) => {
      const target = await findLinkTarget(db, account.id, body);
      const [present] = (await findPresent(db, account.id, [pageKey(url)])).values();
      if (present) {
        await linkPresent(db, account.id, target, [present], now);
        return { source_id: present.id, status: 'exists' as const, skipped_duplicate: 1 };
      }
      await checkImport(db, account, { tier: target.tier, pages: 1, unchecked: 1 });
      const [id] = await queueSources(db, account.id, target, [newPage(url)], now);
      return { source_id: id as string, status: 'queued' as const, batch_id: newId('kbb') };
    },
  ),

  'kb.importFile': async ({ db, account, body, now }) => {
    if (!formatOfName(body.filename)) throw invalidField('filename', `must end in ${documentEndings}`);
    const path = ownPath(account.id, body.storage_path);
    const target = await findLinkTarget(db, account.id, body);
    await checkImport(db, account, { tier: target.tier, pages: 1, unchecked: 1 });
    const file = { url: null, host: null, url_key: null, storage_path: path, filename: body.filename.trim() };
    const [id] = await queueSources(db, account.id, target, [file], now);
    return { source_id: id as string, status: 'queued' as const };
  },

  'kb.importPages': preparedHandler(
    async ({ body, service }) => {
      const pages: URL[] = [];
      // Sequentially, because each check resolves a host name.
      for (const [index, text] of body.urls.entries()) pages.push(await publicPage(service, text, `urls.${index}`));
      return pages;
    },
    async ({ db, account, body, now }, pages) => await importPages(db, account, pages, body, now),
  ),

  'kb.delete': async ({ db, account, params, query, now }) => {
    const source = await sources.require(db, account.id, params.sourceId);
    await leaveJobs(db, account.id, [source], now);
    // A deletion along with the FAQs was already accepted.
    const withFaqs = source.status === 'deleting' ? true : query.delete_faqs;
    const deleted = withFaqs ? (await deleteSourceFaqs(db, account.id, source.id, Number.MAX_SAFE_INTEGER, now)).deleted : 0;
    if (!withFaqs) await releaseFaqs(db, account.id, source.id, now);
    await sources.delete(db, account.id, source.id);
    return { faqs_deleted: deleted };
  },

  'kb.deleteMany': async ({ db, account, body, now }) => ({
    batch_id: newId('kbb'),
    queued: await beginDeletion(db, account.id, [...new Set(body.sourceIds)], now),
  }),

  'kb.discover': ownTransactionsHandler(async ({ account, body, service }) => {
    const url = await publicPage(service, body.url, 'url');
    const found = await findPages(service.crawling, account.id, url, checkMaxPages(account, body.maxPages), service.realNow);
    const { error, sourceType, pages, limited } = found;
    return { ...(error !== undefined && { success: false, error }), source_type: sourceType, pages: pages.map(pageRecord), ...limited };
  }),

  'kb.estimate': ownTransactionsHandler(({ service, account, body }) => estimate(service, service.crawling, account, body)),

  'kb.cancel': async ({ db, account, body, now }) => await cancelImports(db, account.id, hostNamed(body.host), now),

  'kb.resume': async ({ db, account, body, now }) => ({ resumed: await resumeImports(db, account.id, hostNamed(body.host), now) }),

  'kb.refresh': async ({ db, account, params, now }) => await refreshSource(db, account, params.sourceId, now),

  'kb.compareHost': preparedHandler(
    async ({ account, body, service }) => {
      const url = await publicPage(service, requireWebsite(body.baseUrl).href, 'baseUrl');
      return {
        host: hostOf(url),
        found: await findPages(service.crawling, account.id, url, checkMaxPages(account, body.maxPages), service.realNow),
      };
    },
    async ({ db, account }, { host, found }) => await comparePages(db, account.id, host, found),
  ),

  'kb.refreshHost': async ({ db, account, body, now }) => ({
    queued: await beginWebsiteRefresh(db, account.id, hostOf(requireWebsite(body.baseUrl)), now),
  }),

  'kb.getRefresh': async ({ db, account, query }) => {
    const last = await findLastRefresh(db, account.id, hostOf(requireWebsite(query.baseUrl)));
    return { job: last ? refreshRecord(last) : null };
  },

  'kb.cancelRefresh': async ({ db, account, body, now }) => await cancelWebsiteRefresh(db, account.id, body.jobId, now),

  'kb.generateFaqs': async ({ db, account, body, now }) => ({ job_id: await queueGeneration(db, account, body, now) }),
};

function pageRecord({ url, title, depth, score, recommendation, reason_key }: FoundPage) {
  return { url, title, depth, score, recommendation, reason_key };
}

async function queueGeneration(
  db: Db,
  account: Account,
  body: { readonly campaign_id: string; readonly storage_paths: readonly string[] },
  now: number,
): Promise<string> {
  const paths = [...new Set(body.storage_paths.map((path) => ownPath(account.id, path)))];
  const campaign = await campaigns.require(db, account.id, body.campaign_id);
  const { tier } = await findLinkTarget(db, account.id, { autoLinkToCampaignId: campaign.id });
  await checkCredits(db, account, { tier, unchecked: paths.length });
  const payload = { campaign: campaign.id, paths, tier, agent: campaign.agent_id };
  const [id] = await enqueue(db, {
    kind: 'faq_generate',
    lane: laneOf(account.id, 'faq_generate'),
    accountId: account.id,
    payload,
    dueAt: now,
  });
  return id as string;
}

/** The host in a filter. A text without a host matches nothing. */
function hostNamed(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (namedHost(text) ?? text);
}

/** @throws ApiError 400 when the text is not the address of a website */
function requireWebsite(text: string): URL {
  const url = namedWebsite(text);
  if (!url) throw invalidField('baseUrl', 'must be the address of a website, such as https://example.com');
  return url;
}
