/** Limits of the interface. Times are in seconds, sizes in bytes. */
export const limits = {
  mainKeyRequestsPerMinute: 300,
  accountRequestsPerMinute: 1_200,
  scopedKeyDefaultRequestsPerMinute: 60,
  scopedKeyMaxRequestsPerMinute: 300,
  anonymousRequestsPerMinute: 6_000,
  rateWindowSeconds: 60,
  pageSizeDefault: 50,
  pageSizeMax: 100,
  scopedKeysListed: 200,
  bodyBytes: 1024 * 1024,
  bodyLevels: 128,
  /** Larger than `bodyLevels`, because an answer can wrap what a request sent. */
  answerLevels: 256,
  uploadBytes: 50 * 1024 * 1024,
  nameLength: 200,
  textLength: 10_000,
  keyLabelLength: 100,
  nonceLength: 200,
  importRows: 500,
  /** The different tags of all rows of an import. */
  importTags: 1_000,
  listContacts: 10_000,
  faqBulk: 500,
  faqTags: 100,
  faqCampaigns: 200,
  faqGroups: 200,
  groupCampaigns: 1_000,
  /** Of a gap, how many answers show: the most frequent wordings, and the contacts who asked last. */
  shownWordings: 10,
  shownAskers: 10,
  suggestedFaqs: 10,
  /** Of an account. Beyond it, the least frequent gap goes. */
  openGaps: 1_000,
  /** The tasks to answer gaps that an account gets in a day. */
  gapTasksPerDay: 20,
  campaignTags: 100,
  /** Of the FAQs that a job merged, how many answers show. */
  mergedFaqs: 1_000,
  /** The characters of all tags of a FAQ together. One of them can be the address of a page. */
  faqTagsLength: 20_000,
  /** High enough for any position. Keeps the number exact. */
  orderIndex: 1_000_000_000,
  bulkSources: 2_000,
  bulkPages: 100,
  generatedDocuments: 20,
  pageUrlLength: 2_000,
  sourceFaqs: 5_000,
  /** Discovery stops at this number of pages, however many may be pending. */
  discoveredPages: 10_000,
  contactTags: 200,
  contactLists: 500,
  webhooks: 200,
  webhookTags: 200,
  /** The deliveries and the days of a replay. */
  replayedDeliveries: 100_000,
  replayedDays: 31,
  /** The missed events of a webhook that are counted. */
  missedEvents: 10_000,
  /** Answers show the contacts of a broadcast up to this number; all of them are in a list of their own. */
  shownContactIds: 1_000,
  taggingRules: 100,
  templates: 1_000,
  providerTemplates: 1_000,
  templateVariables: 100,
  templateComponents: 20,
  templateButtons: 10,
  ruleKeywords: 200,
  rulePosts: 100,
  /** Of an account: entry points of every kind, enabled or not, with the keywords and posts of all of them. */
  entryPoints: 1_000,
  allKeywords: 20_000,
  allPosts: 20_000,
  /** The characters of the fixed texts and instructions of all of them. */
  allRuleTexts: 4_000_000,
  /** Thirty days. */
  commentDelayMinutes: 43_200,
  members: 1_000,
  /** Of a person, how many answers show. */
  memberships: 1_000,
  channels: 1_000,
  /** Of an account, at one server. */
  streams: 20,
  faults: 100,
  /** The FAQs and the sources that an agent's record lists. It counts all of them. */
  shownRefs: 10_000,
  /** The campaigns that a sum of the ledger lists. The others are added up. */
  summedCampaigns: 10_000,
  /** The attempts that the sandbox shows of a delivery: the last ones. */
  shownAttempts: 20,
  /** The attempts of a delivery that is shown alone. */
  deliveryAttempts: 100,
  /** The clients with paused deliveries that the health of an agency's webhook lists. */
  pausedAccounts: 100,
  maxAgents: 20,
  /** The functions and tool servers of an agent. */
  agentFunctions: 20,
  agentToolServers: 5,
  /** The characters of a recurrence rule, and the occurrences that it can have if it counts them. */
  ruleLength: 500,
  ruleCount: 10_000,
  /** The stages of a pipeline, and what a deal can be worth. */
  pipelineStages: 30,
  dealValue: 10_000_000_000_000,
  /** The accounts to which a snapshot is applied at once, and the bytes of its configuration. */
  snapshotAccounts: 100,
  snapshotBytes: 67_108_864,
  /** The records that need attention on an account, as its job tells. */
  snapshotAttention: 1_000,
  maxAgentBytes: 524_288,
  pendingPages: 5_000,
} as const;
