import { listChannels } from '../../contract/channels.ts';
import { callVerb, type Noun } from '../command.ts';

export const channels: Noun = {
  name: 'channels',
  summary: 'Show the connected channels',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: listChannels,
      examples: [['msgctl channels list', 'each channel with its identity']],
      shown: { rows: 'channels', columns: ['channel', 'identity', 'name', 'status', 'connected_at'] },
    }),
  ],
};
