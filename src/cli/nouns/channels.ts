import * as contract from '../../contract/areas/channels/endpoints.ts';
import { lookup } from '../verb/lookup.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, OptionSpec } from '../verb/noun.ts';

const numbers = lookup(contract.listChannels, 'channels', 'channel', {
  what: 'channel',
  value: 'identity',
  // Other channels can have the same number; only these are paired and disconnected.
  names: ({ channel, identity }) => (channel === 'chatapp_web' ? [identity] : []),
});

const summary = 'a phone number in international format';

const numberArgument = { param: 'phoneNumber', name: 'number', summary, completes: numbers } as const;

const pictureOption: OptionSpec = {
  flags: '--out <file>',
  summary: 'write the picture to this PNG file, readable only by you; --yes replaces a file that exists',
  completes: 'file',
};

export const channels: Noun = {
  name: 'channels',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listChannels,
      examples: [['msgctl channels list', 'every channel with its phone number or account name']],
      shown: { columns: ['channel', 'identity', 'name', 'status', 'connected_at'] },
    }),
    {
      name: 'pair',
      summary: 'Pair a chatapp-web number: show its QR code and wait until it is scanned',
      examples: [
        ['msgctl channels pair +14155550100', 'scan the code with the phone'],
        ['msgctl channels pair +14155550100 -o json', 'two JSON documents: the code on one line, then the final status'],
      ],
      arguments: [{ name: 'number', fills: ['phone_number'], summary }],
      endpoint: contract.startPairing,
      isTool: false,
      takesInput: false,
      scope: 'one account',
      shown: { columns: ['phone_number', 'status'] },
      run: async (session, values) => await (await import('./channels/pair.ts')).pair(session, values),
    },
    {
      name: 'qr',
      summary: 'Show the QR code of a pairing that waits to be scanned',
      examples: [
        ['msgctl channels qr +14155550100', 'draw the code on a terminal'],
        ['msgctl channels qr +14155550100 --out code.png', 'as a picture, to send to the person who has the phone'],
        ['msgctl channels qr +14155550100 -o json', 'as text (qr_code) and as a picture for a page (qr_data_url)'],
      ],
      arguments: [numberArgument],
      options: [pictureOption],
      endpoint: contract.getPairingCode,
      scope: 'one account',
      showsAnswer: true,
      shown: { columns: ['phone_number', 'status', 'qr_code', 'qr_data_url'], table: ['phone_number', 'status', 'qr_code'] },
      run: async (session, [number = ''], options) => await (await import('./channels/qr.ts')).showCode(session, number, options),
    },
    {
      name: 'status',
      summary: contract.getPairingStatus.summary,
      examples: [['msgctl channels status +14155550100', 'qr_pending, connected, disconnected or not_initialized, and since when']],
      arguments: [numberArgument],
      endpoint: contract.getPairingStatus,
      shown: { columns: ['phone_number', 'status', 'since'] },
      run: async (session, [number = '']) => await (await import('./channels/status.ts')).showStatus(session, number),
    },
    callVerb({
      name: 'disconnect',
      endpoint: contract.disconnectChannel,
      examples: [['msgctl channels disconnect +14155550100', 'asks for confirmation; the monthly charge ends']],
      arguments: [numberArgument],
      confirm: async ({ session, values: [number = ''] }) => {
        if (!session) return `Disconnect ${number}?`;
        const { identity, name } = await session.names.record(numbers, number);
        return `Disconnect ${identity}${name === null ? '' : ` (${name})`}? Nothing can be sent from it any more, and its monthly charge ends`;
      },
      shown: { columns: [] },
      done: (_answer, [number]) => `Disconnected ${number}.`,
    }),
  ],
};
