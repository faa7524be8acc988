import { migration } from '../store/migration.ts';

/** What agents can do: functions, tool servers, media, and the messages that tell of them. */
export const tools = migration('0.3.0 functions, tool servers, media', ({ account, seq, times }) => [
  `create table custom_functions (
    ${seq}, id text not null unique, ${account}, name text not null, description text, parameters text not null, url text not null,
    method text not null, headers text not null, timeout_seconds bigint not null, enabled bigint not null, signing_secret text,
    failures bigint not null, ${times})`,
  'create unique index custom_functions_by_name on custom_functions (account_id, name)',
  'create index custom_functions_by_account on custom_functions (account_id, seq)',
  `create table mcp_servers (
    ${seq}, id text not null unique, ${account}, name text not null, url text not null, headers text not null, enabled bigint not null,
    allowed_tools text, status text not null, error text, tools text not null, refreshed_at bigint, failures bigint not null, ${times})`,
  'create unique index mcp_servers_by_name on mcp_servers (account_id, name)',
  'create index mcp_servers_by_account on mcp_servers (account_id, seq)',
  `create table agent_functions (
    agent_id text not null references agents (id) on delete cascade,
    function_id text not null references custom_functions (id) on delete cascade, primary key (agent_id, function_id))`,
  'create index agent_functions_by_function on agent_functions (function_id)',
  `create table agent_tool_servers (
    agent_id text not null references agents (id) on delete cascade,
    server_id text not null references mcp_servers (id) on delete cascade, primary key (agent_id, server_id))`,
  'create index agent_tool_servers_by_server on agent_tool_servers (server_id)',
  `create table agent_media (
    ${seq}, id text not null unique, ${account}, agent_id text not null references agents (id) on delete cascade, name text not null,
    description text, mime_type text not null, bytes bigint not null, storage_path text not null, ${times})`,
  'create unique index agent_media_by_name on agent_media (agent_id, name)',
  'create index agent_media_by_account on agent_media (account_id, seq)',
  'alter table messages add column tool text',
  'alter table messages add column media text',
  'alter table reply_traces add column tool_calls text',
]);
