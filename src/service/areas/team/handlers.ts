import type { AccountPlan } from '../../../contract/plan.ts';
import { checkNotEmpty } from '../../errors.ts';
import { checkPlan } from '../../http/checks.ts';
import { type AreaHandlers, spanningHandler } from '../../http/handler.ts';
import { completePlan } from '../../identity/accounts.ts';
import type { Caller } from '../../identity/caller.ts';
import { activateMember, chooseMember } from '../../identity/members.ts';
import {
  addMember,
  changeMember,
  checkOtherOwner,
  listMembers,
  listMemberships,
  memberRecord,
  membershipRecord,
  removeMember,
  requireMember,
  requireMembership,
  standingOf,
} from './records.ts';
import { checkStanding } from './rules.ts';

export const teamHandlers: AreaHandlers<'team'> = {
  'team.list': async ({ db, account }) => ({ members: (await listMembers(db, account.id)).map(memberRecord) }),

  'team.invite': async ({ db, account, caller, body: { name, email, role = 'member', permissions = [] }, now }) => {
    checkStanding(caller, null, standingOf(role, permissions));
    return { member: memberRecord(await addMember(db, account.id, { name, email, role, permissions, isInvited: true }, now)) };
  },

  'team.update': async ({ db, account, caller, params, body: { name, role, permissions } }) => {
    checkNotEmpty({ name, role, permissions });
    const member = await requireMember(db, account.id, params.id);
    const standing = standingOf(role ?? member.role, permissions ?? member.permissions);
    checkStanding(caller, member, standing);
    if (member.role === 'owner' && standing.role !== 'owner') await checkOtherOwner(db, member);
    return { member: memberRecord(await changeMember(db, member, { ...(name !== undefined && { name }), ...standing })) };
  },

  'team.remove': async ({ db, account, caller, params }) => {
    const member = await requireMember(db, account.id, params.id);
    checkStanding(caller, member, null);
    if (member.role === 'owner') await checkOtherOwner(db, member);
    await removeMember(db, member.id);
    return {};
  },

  'team.accounts': async ({ db, account, caller }) => {
    const memberships = await listMemberships(db, personOf(caller).email, account.id);
    return { accounts: memberships.map((each) => membershipRecord(each, account.id)) };
  },

  'team.switch': spanningHandler(
    ({ account, body }) => ({ accounts: [account.id, body.account_id] }),
    async ({ db, caller, body: { account_id: id }, now }) => {
      const { email } = personOf(caller);
      const membership = await requireMembership(db, email, id);
      // Otherwise no request of the person could take the choice back.
      checkPlan({ plan: completePlan(JSON.parse(membership.plan) as Partial<AccountPlan>) });
      await chooseMember(db, email, membership.member_id);
      await activateMember(db, membership.member_id, now);
      return { account: membershipRecord({ ...membership, activated_at: now }, id) };
    },
  ),
};

/** The member that calls an endpoint for people. */
function personOf(caller: Caller): Extract<Caller, { kind: 'member' }> {
  if (caller.kind !== 'member') throw new Error('Only members get here');
  return caller;
}
