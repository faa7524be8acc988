import { migration } from '../store/migration.ts';

const dayLength = 86_400_000;

/**
 * Counts the new contacts of each country by agent too. The agents of contacts that were deleted before are unknown, so these count
 * under none.
 */
export const countriesByAgent = migration('countries by agent', ({ account }) => [
  'alter table country_counts rename to counted_before',
  `create table country_counts (
      ${account}, day bigint not null, agent_id text not null, country text not null, contacts bigint not null,
      primary key (account_id, day, agent_id, country))`,
  `insert into country_counts (account_id, day, agent_id, country, contacts)
      select account_id, created_at / ${dayLength} as day_of, coalesce(first_agent_id, '') as agent, coalesce(country, '') as country_of, count(*)
      from contacts group by account_id, day_of, agent, country_of`,
  `insert into country_counts (account_id, day, agent_id, country, contacts)
      select * from (
        select account_id, day, '' as agent_id, country, contacts - coalesce((
            select sum(contacts) from country_counts as known where known.account_id = counted_before.account_id
              and known.day = counted_before.day and known.country = counted_before.country), 0) as deleted
        from counted_before) as others
      where deleted > 0
      on conflict (account_id, day, agent_id, country) do update set contacts = country_counts.contacts + excluded.contacts`,
  'drop table counted_before',
]);
