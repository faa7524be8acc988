import { addMedia, listMedia, removeMedia } from '../../../contract/areas/media/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { agentArgument, agentLookup } from '../../lookups/agents.ts';

const shared = { arguments: [agentArgument] } as const;

/** The verbs of the files that an agent can send. */
export const mediaVerbs: readonly Verb[] = [
  callVerb({
    ...shared,
    name: 'media list',
    endpoint: listMedia,
    examples: [['msgctl agents media list Ada', 'the files that an agent can send']],
    shown: { columns: ['id', 'name', 'description', 'mime_type', 'bytes', 'created_at'] },
  }),
  {
    name: 'media add',
    summary: 'Let an agent send an image, a PDF or a sound',
    examples: [
      ["msgctl agents media add Ada menu.pdf --description 'The menu of this week'", 'a file of this machine, on a sandbox'],
      ['msgctl agents media add Ada --storage-path users/acc_1/uploads/upl_1/menu.pdf', 'a file in the storage of the account'],
    ],
    arguments: [
      { name: 'agent', summary: agentArgument.summary, lookup: agentLookup },
      {
        name: 'file',
        summary: 'a PNG, JPEG, GIF, WebP, PDF, MP3, OGG or WAV file',
        completes: 'file',
        isOptional: true,
        fills: ['storage_path'],
      },
    ],
    options: [
      {
        flags: '--name <text>',
        summary: 'the name by which the model sends it (default: that of the file, without its ending)',
        fills: ['name'],
      },
      { flags: '--description <text>', summary: 'what it shows, and when the agent sends it', fills: ['description'] },
      {
        flags: '--storage-path <path>',
        summary: 'a file in the storage of the account, instead of one of this machine',
        fills: ['storage_path'],
      },
    ],
    endpoint: addMedia,
    takesInput: false,
    scope: 'one account',
    shown: { field: 'media', columns: ['id', 'name', 'description', 'mime_type', 'bytes'] },
    run: async (session, values, options) => await (await import('./media.ts')).addMedia(session, values, options),
  },
  {
    name: 'media remove',
    summary: 'Take a file away from an agent; its links stop working',
    examples: [['msgctl agents media remove Ada menu', 'asks for confirmation; the id or the name of the file']],
    arguments: [
      { name: 'agent', summary: agentArgument.summary, lookup: agentLookup },
      { name: 'media', summary: 'the id or the name of the file' },
    ],
    endpoint: removeMedia,
    shown: { columns: [] },
    confirm: async ({ session, values: [agent = '', word = ''] }) => {
      if (!session) return `Take the file ${word} away from the agent ${agent}? Links to it stop working`;
      const { name } = await (await import('./media.ts')).findMedia(session, agent, word);
      return `Take the file '${name}' away from the agent ${agent}? Links to it stop working`;
    },
    run: async (session, values) => await (await import('./media.ts')).removeMedia(session, values),
  },
];
