/** The category of a state. */
type Mood = 'good' | 'busy' | 'bad' | 'idle';

const moods: Readonly<Record<Mood, readonly string[]>> = {
  good: ['ok', 'sent', 'delivered', 'read', 'replied', 'connected', 'active', 'approved', 'completed', 'confirmed', 'healthy', 'ready'],
  busy: [
    'retrying',
    'unproven',
    'expires',
    'sending',
    'scheduled',
    'pending approval',
    'pending',
    'queued',
    'waiting',
    'running',
    'open',
    'paused',
    'warning',
    'processing',
    'deleting',
    'refreshing',
    'deduplicating',
  ],
  bad: ['failing', 'failed', 'disabled', 'rejected', 'dropped', 'expired', 'revoked'],
  idle: ['off', 'idle', 'draft', 'disconnected', 'not_initialized', 'inactive', 'cancelled', 'canceled'],
};

const moodOf = new Map(Object.entries(moods).flatMap(([mood, states]) => states.map((state) => [state, mood as Mood] as const)));

const marks: Readonly<Record<Mood, { readonly unicode: string; readonly ascii: string; readonly color: string }>> = {
  good: { unicode: '✓', ascii: '+', color: 'green' },
  busy: { unicode: '●', ascii: '*', color: 'yellow' },
  bad: { unicode: '✗', ascii: 'x', color: 'red' },
  idle: { unicode: '○', ascii: '-', color: 'gray' },
};

/** The symbol and colour of a category. */
export function markOf(mood: Mood, unicode: boolean): { symbol: string; color: string } {
  const { color, ...symbols } = marks[mood];
  return { symbol: symbols[unicode ? 'unicode' : 'ascii'], color };
}

/** The symbol and colour of a state, so that colour is not the only indicator; undefined for an unknown state. */
export function stateMark(state: string, unicode: boolean): { symbol: string; color: string } | undefined {
  const mood = moodOf.get(state.toLowerCase());
  return mood && markOf(mood, unicode);
}
