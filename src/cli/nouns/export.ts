import type { Noun } from '../verb/noun.ts';
import { exportVerb } from './export/export-verb.ts';

export const exporting: Noun = { name: 'export', verbs: [exportVerb] };
