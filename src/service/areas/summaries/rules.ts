import { counted } from '../../../contract/text/counted.ts';

/** The figures of an account for one day. */
export interface SummaryFigures {
  readonly conversations: number;
  readonly received: number;
  readonly sent: number;
  readonly replied: number;
  readonly contact_created: number;
  readonly credits: number;
}

/** Describes a day in one sentence. */
export function summaryText({ conversations, received, sent, replied, contact_created: created, credits }: SummaryFigures): string {
  return [
    `${counted(conversations, 'conversation')} started`,
    `${counted(sent, 'message')} sent`,
    `${received} received`,
    `${replied} of them replies`,
    `${counted(created, 'new contact')}`,
    `${counted(credits, 'credit')} spent.`,
  ].join(', ');
}
