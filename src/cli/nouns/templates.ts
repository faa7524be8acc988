import * as contract from '../../contract/areas/templates/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun, OptionSpec, Verb } from '../verb/noun.ts';
import { parseDuration } from '../verb/values.ts';
import { usageError } from '../errors.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { campaignField, withNamedFields } from '../lookups/named.ts';
import { templateLookup } from '../lookups/templates.ts';
import { parseVariable } from './templates/variables.ts';

const templateArgument = {
  param: 'templateId',
  name: 'template',
  summary: 'the id or the name of a template, or its name and language as name.language',
  lookup: templateLookup,
} as const;

const shared = { arguments: [templateArgument] } as const;

const columns = [
  'id',
  'name',
  'status',
  'language',
  'category',
  'type',
  'variables',
  'body',
  'rejection_reason',
  'campaign_id',
  'sid',
  'submitted_at',
  'approved_at',
] as const;

const variablesField = { field: 'variables', placeholder: 'names' } as const;

const variableOption: OptionSpec = {
  flags: '--var <name=value>',
  summary: 'the value of a variable, which overrides the value of the contact; can be repeated',
  parse: parseVariable,
  isRepeated: true,
};

const sendVerb = callVerb({
  name: 'send',
  endpoint: contract.sendTemplate,
  examples: [
    ["msgctl templates send order_ready 'Ada Lovelace' --dry-run", 'show the text, missing variables and the price; nothing is sent'],
    ['msgctl templates send order_ready +14155550123 --first-name Ada', 'to a number, which is added as a contact'],
    ['msgctl templates send login_code +14155550123 --var code=123456', 'with the value of a variable'],
  ],
  arguments: [
    {
      name: 'template',
      fills: ['whatsappTemplateId', 'templateName'],
      summary: 'a template by id, name, or name.language; if a name has several languages, the newest approved one is sent',
      completes: templateLookup,
    },
    {
      name: 'contact|number',
      fills: ['contactId', 'phoneNumber'],
      summary: 'a contact by id, name or email address, or a phone number, which is added as a contact',
      completes: contactLookup,
    },
  ],
  fields: [
    { field: 'firstName', flag: 'first-name' },
    { field: 'lastName', flag: 'last-name' },
    { field: 'email' },
    { field: 'variables', summary: 'the values of variables as JSON; --var overrides them' },
  ],
  options: [variableOption, { flags: '--dry-run', summary: 'show the text, missing variables and the price, without sending' }],
  body: async (fields, { session, values, options }) =>
    (await (await import('./templates/send.ts')).messageOf(fields, values, session, options)).message,
  shown: { columns: ['message_id', 'contact_id'] },
});

/** In a dry run, shows the message and its price. */
const sending: Verb = {
  ...sendVerb,
  dryRunColumns: [
    'to',
    'credits',
    'balance',
    'problems',
    'text',
    'name',
    'language',
    'category',
    'status',
    'missing',
    'country',
    'contact_id',
  ],
  run: async (session, words, options) => {
    if (options.dryRun) return await (await import('./templates/dry-run.ts')).quote(session, words, options, sendVerb);
    try {
      return await sendVerb.run(session, words, options);
    } catch (error) {
      throw (await import('./templates/send.ts')).withVariableHint(error);
    }
  },
};

const submission = callVerb({
  ...shared,
  name: 'submit',
  endpoint: contract.submitTemplate,
  examples: [
    ['msgctl templates submit order_ready', 'submit a draft, or a rejected template that was improved'],
    ['msgctl templates submit order_ready --wait', 'exits 0 once it is approved, and 1 if it is rejected'],
  ],
  options: [
    { flags: '--wait', summary: 'wait until the review ends; exits 1 if the template is rejected' },
    { flags: '--timeout <duration>', summary: 'stop waiting after this time, such as 10m; exits 1', parse: parseDuration },
  ],
  shown: { columns: ['template_id', 'status', 'sid'] },
});

const submitting: Verb = {
  ...submission,
  run: async (session, words, options) => {
    if (options.timeout !== undefined && !options.wait) throw usageError('--timeout requires --wait', 'Add --wait, or omit --timeout.');
    const result = await submission.run(session, words, options);
    return options.wait ? await (await import('./templates/wait.ts')).followReview(session, result, options) : result;
  },
};

export const templates: Noun = {
  name: 'templates',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listTemplates,
      examples: [['msgctl templates list', 'every template with its status']],
      shown: { rows: 'data', columns: ['id', 'name', 'status', 'language', 'body'] },
    }),
    withNamedFields(
      callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getTemplate,
        examples: [['msgctl templates get order_ready.en', 'by name and language, if the name has several languages']],
        shown: { field: 'template', columns },
      }),
      [campaignField],
    ),
    callVerb({
      name: 'create',
      endpoint: contract.createTemplate,
      examples: [
        ["msgctl templates create order_ready 'Hi {{first_name|there}}, {{order|it}} is ready' --language en", 'create a draft'],
        [
          "msgctl templates create login_code 'Code: {{code}}' --language en --category authentication --status submitted",
          'create and submit it',
        ],
        ['msgctl templates create --input order_ready.en.yaml', 'from a file, which `msgctl templates lint` checks'],
      ],
      arguments: [{ field: 'name' }, { field: 'body' }],
      fields: [
        'language',
        variablesField,
        'category',
        'type',
        { field: 'campaign_id', flag: 'campaign', lookup: campaignLookup },
        'status',
      ],
      shown: { columns: ['template_id', 'status'] },
    }),
    callVerb({
      name: 'opening',
      endpoint: contract.createOpening,
      examples: [
        [
          "msgctl templates opening Spring spring_hello 'Hi {{first_name|there}}' --language en",
          'creates the opening message and submits it',
        ],
      ],
      arguments: [
        { field: 'campaign_id', name: 'campaign', summary: 'the id or the name of a campaign', lookup: campaignLookup },
        { field: 'name' },
        { field: 'body' },
      ],
      fields: ['language', variablesField],
      shown: { columns: ['campaign_status', 'template_sid'] },
      done: ({ campaign_status: status }) =>
        status === 'not_applicable' ? 'Nothing was created: only campaigns on chatapp and chatapp_web have an opening message.' : undefined,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateTemplate,
      examples: [
        ["msgctl templates update order_ready --body 'Hi {{first_name}}'", 'a draft or a rejected template; submit it afterwards'],
      ],
      fields: ['name', 'body', 'language', variablesField],
      shown: { columns: ['template_id'] },
    }),
    deleteVerb({
      lookup: templateLookup,
      endpoint: contract.deleteTemplate,
      examples: [['msgctl templates delete order_ready --yes', 'skip the confirmation']],
      title: ({ name, language }) => `'${name as string}' (${language as string})`,
      consequence: () => ', which campaigns and broadcasts may use',
      severalConsequence: () => ', which campaigns and broadcasts may use',
    }),
    submitting,
    {
      ...callVerb({
        ...shared,
        name: 'status',
        endpoint: contract.getTemplateStatus,
        examples: [
          ['msgctl templates status order_ready', 'the state of the review'],
          ['msgctl templates status order_ready --watch', 'again every five seconds, until Ctrl-C'],
        ],
        shown: { columns: ['template_id', 'name', 'status', 'rejection_reason', 'sid', 'date_updated'] },
      }),
      watches: true,
    },
    sending,
    {
      name: 'preview',
      summary: 'Show what a template says, with sample values or those of a contact, and which variables are missing',
      examples: [
        ['msgctl templates preview order_ready', 'with sample values'],
        ["msgctl templates preview order_ready --contact 'Ada Lovelace' --var order=1234", 'as this contact would receive it'],
      ],
      arguments: [{ ...templateArgument, param: undefined }],
      options: [
        { flags: '--contact <contact>', summary: 'a contact by id, phone number, email address or name', completes: contactLookup },
        variableOption,
      ],
      endpoint: contract.getTemplate,
      scope: 'one account',
      shown: { columns: ['template_id', 'name', 'language', 'category', 'status', 'contact_id', 'text', 'missing', 'credits'] },
      run: async (session, words, options) => await (await import('./templates/preview.ts')).preview(session, words, options),
    },
    {
      name: 'lint',
      summary: 'Check template files (YAML or JSON) without an account, including what reviewers reject; exits 1 if something is wrong',
      examples: [
        ['msgctl templates lint templates/*.yaml', 'file, line and column of each problem'],
        ['msgctl templates lint - < order_ready.json', 'from stdin'],
      ],
      arguments: [
        { name: 'file', summary: 'files with the fields that `templates create` takes; `-` is stdin', completes: 'file', isRepeated: true },
      ],
      shown: { rows: 'problems', columns: ['file', 'line', 'column', 'field', 'problem'] },
      text: async (rows) => (await import('./templates/lint.ts')).problemLines(rows),
      run: async (session, files) => await (await import('./templates/lint.ts')).lint(session, files),
    },
    callVerb({
      name: 'provider',
      endpoint: contract.getProvider,
      examples: [['msgctl templates provider', '`managed`, or your own account at the provider']],
      shown: { columns: ['provider', 'lane', 'waba_id', 'templates_enabled'] },
    }),
    callVerb({
      name: 'sync',
      endpoint: contract.syncTemplates,
      examples: [['msgctl templates sync', 'after you created a template at the provider']],
      shown: { columns: ['provider', 'imported', 'updated', 'total'] },
    }),
  ],
};
