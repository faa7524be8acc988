import * as contract from '../../contract/areas/tasks/endpoints.ts';
import { callVerb, clearable, deleteVerb, given, type Lookup, type Noun, type OptionSpec, type Options } from '../command/command.ts';

const columns = ['id', 'title', 'status', 'assignee', 'due_at', 'contact_id', 'description', 'created_at'];

const ids: Lookup = { endpoint: contract.listTasks, rows: 'tasks', label: 'title' };

const shared = { arguments: [['<id>', 'the id of a task', ids]], params: ['id'] } as const;

const shown = { field: 'task', columns };

const fieldOptions: readonly OptionSpec[] = [
  { flags: '--description <text>', summary: 'what is to be done' },
  { flags: '--contact <id>', summary: 'the contact that it is about' },
  { flags: '--assignee <name>', summary: 'who does it' },
  { flags: '--due-at <instant>', summary: 'until when, as ISO 8601' },
];

const fields = ({ description, contact, assignee, dueAt }: Options) =>
  given({
    description: clearable(description),
    contact_id: clearable(contact),
    assignee: clearable(assignee),
    due_at: clearable(dueAt),
  });

export const tasks: Noun = {
  name: 'tasks',
  summary: 'Manage what is to be done for contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listTasks,
      examples: [['msgctl tasks list --all --query "tasks[?status==\'open\'].title" -o tsv', 'what is open']],
      shown: { columns: ['id', 'title', 'status', 'assignee', 'due_at', 'contact_id'] },
    }),
    callVerb({ ...shared, name: 'get', endpoint: contract.getTask, examples: [['msgctl tasks get tsk_1', 'all of it']], shown }),
    callVerb({
      name: 'create',
      endpoint: contract.createTask,
      examples: [["msgctl tasks create 'Call back' --contact con_1 --due-at 2027-03-02T15:00:00Z", 'for a contact, until then']],
      arguments: [['<title>', 'what is to be done']],
      options: fieldOptions,
      body: (options, [title]) => given({ title, ...fields(options) }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateTask,
      examples: [
        ['msgctl tasks update tsk_1 --assignee Eve', 'what is not given stays'],
        ["msgctl tasks update tsk_1 --due-at ''", 'an empty text clears a value'],
      ],
      options: [
        { flags: '--title <text>', summary: 'the title' },
        ...fieldOptions,
        { flags: '--status <status>', summary: 'open or completed', choices: contract.taskStatuses },
      ],
      body: (options) => given({ title: options.title, ...fields(options), status: options.status }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'complete',
      endpoint: contract.completeTask,
      examples: [['msgctl tasks complete tsk_1', 'it is done']],
      shown,
    }),
    deleteVerb('task', {
      ...shared,
      endpoint: contract.deleteTask,
      examples: [['msgctl tasks delete tsk_1 --yes', 'without being asked']],
    }),
  ],
};
