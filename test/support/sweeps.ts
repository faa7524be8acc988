/** How often a test tries random cases or races: `few` times in `npm test`, twice as often in `npm run test:all`. */
export function tries(few: number): number {
  return isLongSweep ? few * 2 : few;
}

/** Whether sweeps try every case, as in `npm run test:all`. */
export const isLongSweep = process.env.MSGCTL_TEST_SWEEPS === 'long';

/** The cases that a test tries: the first ones in `npm test`, all in `npm run test:all`. */
export function cases<Case>(few: number, all: readonly Case[]): readonly Case[] {
  return isLongSweep ? all : all.slice(0, few);
}
