import type { Body } from '../../../contract/endpoint.ts';
import type { createDeal as createEndpoint, updateDeal as updateEndpoint } from '../../../contract/areas/deals/endpoints.ts';
import { fold } from '../../../contract/text/fold.ts';
import type { Db } from '../../store/database.ts';
import { contacts } from '../contacts/table.ts';
import { countDeal } from '../pipelines/records.ts';
import { type Stage, stages } from '../pipelines/table.ts';
import { noteStatus } from '../status-changes/records.ts';
import { findStage, initialStage } from './stage.ts';
import { type Deal, deals } from './table.ts';

/** Creates a deal. @throws ApiError 404 for an unknown contact, pipeline or stage, 400 for a stage of another pipeline */
export async function createDeal(db: Db, accountId: string, body: Body<typeof createEndpoint>, now: number): Promise<Deal> {
  if (body.contact_id) await contacts.require(db, accountId, body.contact_id);
  const stage = await initialStage(db, accountId, body, now);
  const place = { ...placeIn(stage, now), closed_at: stage.kind === 'open' ? null : now };
  const deal = await deals.create(db, accountId, { ...deals.read(body), search_text: fold(body.title), ...place }, now);
  await countDeal(db, stage.id, 1);
  return deal;
}

/** Changes a deal. @throws the errors of `createDeal` */
export async function updateDeal(db: Db, before: Deal, body: Body<typeof updateEndpoint>, now: number): Promise<Deal> {
  const { id, account_id: accountId } = before;
  if (body.contact_id) await contacts.require(db, accountId, body.contact_id);
  const stage = await findStage(db, accountId, body);
  const isMoved = stage !== undefined && stage.id !== before.stage_id;
  const { pipeline_id: _, stage_id: __, ...fields } = deals.read(body);
  const text = body.title === undefined ? {} : { search_text: fold(body.title) };
  const place = isMoved ? { ...placeIn(stage, now), closed_at: closedAt(before, stage, now) } : {};
  const deal = await deals.change(db, accountId, id, { ...fields, ...text, ...place }, now);
  if (isMoved) await noteMove(db, before, stage, now);
  return deal;
}

function placeIn({ id, pipeline_id, kind }: Stage, now: number) {
  return { pipeline_id, stage_id: id, status: kind, stage_changed_at: now };
}

/** When a deal that moves to a stage was closed: a won or lost one keeps the time, whatever closed stage it moves to. */
function closedAt({ status, closed_at: at }: Deal, { kind }: Stage, now: number): number | null {
  if (kind === 'open') return null;
  return status === 'open' ? now : at;
}

async function noteMove(db: Db, before: Deal, stage: Stage, at: number): Promise<void> {
  const left = await stages.require(db, before.account_id, before.stage_id);
  await countDeal(db, left.id, -1);
  await countDeal(db, stage.id, 1);
  await noteStatus(db, before, { from: left.name, to: stage.name, at });
}
