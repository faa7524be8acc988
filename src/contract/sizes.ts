import { eventNames } from './areas/webhooks/event-names.ts';
import { counted } from './text/counted.ts';
import { limits } from './limits.ts';

/** What each kind of record holds at most, in words. */
export const sizes: Readonly<Record<string, readonly string[]>> = {
  contact: [counted(limits.contactTags, 'tag'), counted(limits.contactLists, 'list')],
  account: [
    counted(limits.webhooks, 'webhook'),
    counted(limits.entryPoints, 'entry point'),
    counted(limits.templates, 'template'),
    counted(limits.channels, 'channel'),
    counted(limits.members, 'member'),
  ],
  'entry point': [counted(limits.ruleKeywords, 'keyword'), counted(limits.rulePosts, 'post')],
  'all entry points': [
    counted(limits.allKeywords, 'keyword'),
    counted(limits.allPosts, 'post'),
    counted(limits.allRuleTexts, 'character of texts', 'characters of texts'),
  ],
  webhook: [counted(eventNames.length, 'event'), counted(limits.webhookTags, 'tag')],
  agent: [counted(limits.taggingRules, 'tagging rule')],
  broadcast: [`${counted(limits.listContacts, 'contact')}, of which answers show up to ${counted(limits.shownContactIds, 'id')}`],
  FAQ: [counted(limits.faqTags, 'tag'), counted(limits.faqCampaigns, 'campaign')],
};
