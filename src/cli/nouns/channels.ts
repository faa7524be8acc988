import * as contract from '../../contract/areas/channels/endpoints.ts';
import { callVerb, type Lookup, type Noun } from '../command/command.ts';

const numbers: Lookup = { endpoint: contract.listChannels, rows: 'channels', label: 'channel', value: 'identity' };

const newNumber = ['<number>', 'a phone number in international format'] as const;

const numberArgument = [...newNumber, numbers] as const;

export const channels: Noun = {
  name: 'channels',
  summary: 'Show the channels, pair and disconnect numbers',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listChannels,
      examples: [['msgctl channels list', 'each channel with its identity']],
      shown: { columns: ['channel', 'identity', 'name', 'status', 'connected_at'] },
    }),
    {
      name: 'pair',
      summary: 'Pair a chatapp-web number: draw its code, and wait until it is scanned',
      examples: [
        ['msgctl channels pair +14155550123', 'scan the code with the phone'],
        ['msgctl channels pair +14155550123 -o json', 'the status in the end, as JSON'],
      ],
      arguments: [newNumber],
      endpoint: contract.startPairing,
      takesInput: false,
      isForOneAccount: true,
      shown: { columns: ['phone_number', 'status'] },
      run: async (session, values) => await (await import('./channels/pair.ts')).pair(session, values),
    },
    callVerb({
      name: 'status',
      endpoint: contract.getPairingStatus,
      examples: [['msgctl channels status +14155550123', 'qr_pending, connected, disconnected or not_initialized']],
      arguments: [numberArgument],
      params: ['phoneNumber'],
      shown: { columns: ['status'] },
    }),
    callVerb({
      name: 'disconnect',
      endpoint: contract.disconnectChannel,
      examples: [['msgctl channels disconnect +14155550123', 'asks first; the monthly charge ends']],
      arguments: [numberArgument],
      params: ['phoneNumber'],
      confirm: ([number]) => `Disconnect ${number}?`,
      shown: { columns: [] },
      done: (_answer, [number]) => `${number} is disconnected.`,
    }),
  ],
};
