import { terminalText } from '../../output/cell.ts';
import { defaultLowCreditThreshold } from '../../../contract/areas/credits/endpoints.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { type Marks, marksOf } from '../../output/marks.ts';
import type { Screen } from '../../output/screen.ts';
import { shellWord } from '../../output/shell-word.ts';
import { sparkline } from '../../output/sparkline.ts';
import { relativeTime } from '../../output/times.ts';
import { receiverStates } from '../../receivers/health.ts';
import { keyNoticeDays, maxRows, type StatusPart, type Status } from './read.ts';
import { wrapped } from '../../output/wrap.ts';

/** Maximum number of receivers, broadcasts and keys to show by name. The rest is only counted. */
const maxNamed = 5;

const labelWidth = 12;

const barWidth = 20;

/**
 * The status of an account as text that fits on one screen.
 * @param target the options that make other commands act on the same account
 */
export async function statusText(status: Status, target: string, screen: Screen): Promise<string> {
  const { account } = status;
  const marks = await marksOf(screen);
  const parts: [label: string, lines: string[] | null, part?: StatusPart][] = [
    ['Credits', creditLines(status, marks), 'credits'],
    ['Receivers', receiverLines(status, marks, `msgctl webhooks doctor${target}`, screen), 'receivers'],
    ['Deliveries', deliveryLines(status, screen), 'deliveries'],
    ['Channels', channelLines(status, marks, target, screen), 'channels'],
    ['Broadcasts', broadcastLines(status, screen), 'broadcasts'],
    ['Tasks', taskLines(status, marks, screen), 'tasks'],
    ['Keys', keyLines(status, marks, screen), 'keys'],
    ['Unread', unreadLines(status, marks), 'notifications'],
    ['Errors', errorLines(status, marks), 'errors'],
  ];
  const sections = parts.flatMap(([label, lines, part]) => {
    if (lines) return [section(label, lines, marks, screen)];
    return part && status.not_allowed.includes(part) ? [section(label, ['not allowed'], marks, screen)] : [];
  });
  const heading = terminalText(account.name === null ? account.id : `${account.name}  ${account.id}`);
  return `${marks.bold(heading)}\n\n${sections.join('\n')}\n`;
}

/** Lines next to a label. */
function section(label: string, lines: readonly string[], { paint }: Marks, { columns }: Screen): string {
  const fitted = lines.map((line) => paint(columns === null ? line : wrapped(line, Math.max(20, columns - labelWidth))));
  return label.padEnd(labelWidth) + fitted.join('\n').replaceAll('\n', `\n${' '.repeat(labelWidth)}`);
}

function creditLines({ credits }: Status, { warning, failed }: Marks): string[] | null {
  if (!credits) return null;
  const { balance, used_this_month: used, low_credit_threshold: threshold, is_low: isLow } = credits;
  const spent = used === null ? '' : `, ${digits(used)} used this month`;
  if (balance <= 0) return [`${failed} none left${spent}: nothing can be sent`];
  if (isLow)
    return [`${warning} ${digits(balance)} left, below the threshold of ${digits(threshold ?? defaultLowCreditThreshold)}${spent}`];
  return [`${digits(balance)} left${spent}`];
}

function receiverLines({ receivers, time }: Status, { warning, failed }: Marks, doctor: string, screen: Screen): string[] | null {
  if (!receivers) return null;
  if (receivers.total === 0) return ['none'];
  const counts = receiverStates.filter((state) => receivers[state] > 0).map((state) => `${digits(receivers[state])} ${state}`);
  const named = receivers.unhealthy.slice(0, maxNamed).map(({ name, state, failed_at: at, last_failure: last, ...row }) => {
    const mark = state === 'disabled' || state === 'paused' ? failed : warning;
    if (state === 'paused')
      return `${mark} ${terminalText(name)} is paused for ${[counted(row.paused_count, 'sub-account'), ...row.paused_accounts.map(terminalText)].join(', ')}`;
    const when = at === null ? '' : ` (${instant(at, time, screen)})`;
    return `${mark} ${terminalText(name)} is ${state}${when}${last === null ? '' : `: ${terminalText(last)}`}`;
  });
  const why = receivers.unhealthy.length > 0 ? [`\`${doctor}\` tells you what to do`] : [];
  return [counts.join(', '), ...named, ...more(receivers.unhealthy.length), ...why];
}

function deliveryLines({ deliveries }: Status, screen: Screen): string[] | null {
  if (!deliveries) return null;
  const { delivered, failed, hours, is_complete: isComplete } = deliveries;
  if (delivered + failed === 0) return ['none in 24 hours'];
  const least = isComplete ? '' : 'at least ';
  const counts = hours.map((hour) => hour.delivered);
  const failures = hours.map((hour) => hour.failed);
  return [
    `${sparkline(counts, screen)}  ${least}${counted(delivered, 'attempt')} delivered in 24 hours`,
    ...(failed > 0 ? [`${sparkline(failures, screen)}  ${least}${digits(failed)} failed`] : []),
  ];
}

function channelLines({ channels, time }: Status, { failed }: Marks, target: string, screen: Screen): string[] | null {
  if (!channels) return null;
  const { total, disconnected, rows } = channels;
  if (total === 0) return ['none'];
  const lines = rows.slice(0, maxNamed).map(({ channel, identity, since }) => {
    const when = since === null ? '' : ` ${instant(since, time, screen)}`;
    const again = channel === 'chatapp_web' ? `: \`msgctl channels pair ${shellWord(identity)}${target}\`` : '';
    return `${failed} ${terminalText(identity)} on ${channel} was disconnected${when}${again}`;
  });
  return [`${digits(total - disconnected)} connected`, ...lines, ...more(disconnected)];
}

/** Says how many were looked at, if these are not all. */
const ofNewest = ({ is_complete: isComplete }: { readonly is_complete: boolean }) => (isComplete ? '' : ` of the newest ${maxRows}`);

function broadcastLines({ broadcasts }: Status, { unicode }: Screen): string[] | null {
  if (!broadcasts) return null;
  if (broadcasts.sending === 0) return [`none${ofNewest(broadcasts)} is being sent`];
  const lines = broadcasts.rows.slice(0, maxNamed).map(({ name, total, sent, failed }) => {
    const share = total === 0 ? 0 : Math.min(1, (sent + failed) / total);
    const done = Math.floor(share * barWidth);
    const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
    const bar = `${full.repeat(done)}${empty.repeat(barWidth - done)} ${String(Math.floor(share * 100)).padStart(3)} %`;
    return `${bar}  ${terminalText(name)}: ${digits(sent)} of ${digits(total)} sent${failed > 0 ? `, ${digits(failed)} failed` : ''}`;
  });
  return [...lines, ...more(broadcasts.sending)];
}

function taskLines({ tasks, time }: Status, { warning }: Marks, screen: Screen): string[] | null {
  if (!tasks) return null;
  if (tasks.oldest_due_at === null) return [`none${ofNewest(tasks)} is overdue`];
  return [
    `${warning} ${digits(tasks.overdue)}${ofNewest(tasks)} overdue, the oldest was due ${instant(tasks.oldest_due_at, time, screen)}`,
  ];
}

function keyLines({ keys, time }: Status, { warning, failed }: Marks, screen: Screen): string[] | null {
  if (!keys) return null;
  if (keys.expiring === 0) return [`none expires within ${keyNoticeDays} days`];
  const lines = keys.rows.slice(0, maxNamed).map(({ id, label, expires_at: at, is_expired: isExpired }) => {
    const name = terminalText(label === '' ? id : label);
    return `${isExpired ? failed : warning} ${name} ${isExpired ? 'expired' : 'expires'} ${instant(at, time, screen)}`;
  });
  return [...lines, ...more(keys.expiring)];
}

function unreadLines({ notifications }: Status, { warning }: Marks): string[] | null {
  if (!notifications) return null;
  const { unread } = notifications;
  return [unread === 0 ? 'no notifications' : `${warning} ${counted(unread, 'notification')}: \`msgctl notifications list --unread\``];
}

function errorLines({ errors }: Status, { warning }: Marks): string[] | null {
  if (!errors) return null;
  const { last_day: count, is_complete: isComplete } = errors;
  if (count === 0) return ['none in 24 hours'];
  return [`${warning} ${isComplete ? '' : 'at least '}${digits(count)} in 24 hours: \`msgctl errors list --since 1d\``];
}

function more(count: number): string[] {
  return count > maxNamed ? [`and ${digits(count - maxNamed)} more`] : [];
}

/** A relative time on a terminal, otherwise the timestamp itself. */
function instant(at: string, now: string, { columns, timeZone }: Screen): string {
  return columns === null ? at : relativeTime(Date.parse(at), Date.parse(now), timeZone);
}
