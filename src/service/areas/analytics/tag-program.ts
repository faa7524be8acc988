/**
 * The program of the threads that read reports on contacts with tags. It is a separate entry in the bundle, and this a module of its
 * own: opening the service must not load the reports.
 */
export const tagReportProgram = new URL(import.meta.url.endsWith('.ts') ? './tag-thread.ts' : '../tag-thread.mjs', import.meta.url);
