import { readFileSync } from 'node:fs';

/** What Linux tells about a process. */
interface ProcessStat {
  /** A letter, such as `Z` for a zombie: ended, not reaped. */
  readonly state: string;
  /** Clock ticks from the start of the machine to that of the process. */
  readonly startTime: string;
}

/** Reads what Linux tells about a process; undefined if there is none, on other systems, or if it may not be read. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    // The third field and the others follow the name of the program, which is in parentheses and can contain any character.
    const [state = '', ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state, startTime: fields[18] ?? '' };
  } catch {
    return undefined;
  }
}
