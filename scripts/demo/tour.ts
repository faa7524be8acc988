import type { Chapter } from './chapters.ts';
import { startReceiver } from './servers.ts';
import { file } from './stage.ts';

/** What `npm run demo` shows: a story that one reads in a few minutes, of at most 90 lines. */
export const tour: readonly Omit<Chapter, 'name'>[] = [
  {
    title: 'Nothing to set up: the profile sandbox runs the service in each command',
    steps: ['msgctl whoami --fields target'],
  },
  {
    title: 'Import contacts: a wrong row is reported, the others are imported',
    steps: [
      file('people.csv', 'Phone,First name,Surname\n+14155550123,Ada,Lovelace\n0415,Bob,Nobody\n+14155550124,Grace,Hopper\n'),
      { run: 'msgctl contacts import people.csv', exits: 8 },
    ],
  },
  {
    title: 'An agent answers from its FAQs, and says why. Names stand for ids',
    steps: [
      { run: 'msgctl sandbox channels add chatapp +14155550100', isHidden: true },
      'msgctl agents create Ada -q --fields agent_id',
      { run: 'msgctl campaigns create Restaurant --agent Ada', isHidden: true },
      "msgctl faqs create Restaurant 'When do you open?' 'At nine, every day.' -q",
      { run: 'msgctl routing defaults set chatapp Ada', isHidden: true },
      "msgctl sandbox inbound +14155550123 'when do you open?' --fields reply.body -q",
      'msgctl routing explain --channel chatapp --from +14155550125 --text Hello',
      "msgctl contacts send 'Ada Lovelace' 'Your table is ready.' --fields message_id",
      "msgctl contacts messages 'Ada Lovelace' --fields direction,sender,body",
    ],
  },
  {
    title: 'A webhook receiver fails. The doctor says what is wrong, and what to do',
    steps: [
      (stage) => stage.serve('receiver', startReceiver()),
      { run: 'msgctl webhooks create {receiver} --name shop --events Replies', isHidden: true },
      (stage) => stage.receiverAnswers(500),
      { run: 'msgctl webhooks test shop', exits: 1, isHidden: true },
      { run: 'msgctl webhooks doctor shop -q --fields check,status,fix', exits: 1 },
    ],
  },
  {
    title: 'One command for every client account',
    steps: [
      { run: 'msgctl accounts create Bakery --email hello@bakery.example', isHidden: true },
      { run: 'msgctl accounts create Florist --email hello@florist.example', isHidden: true },
      'msgctl tags create VIP --sub-account all --fields sub_account,name',
    ],
  },
  {
    title: 'The account as files: edit them, see the difference, apply it or undo it',
    steps: [
      { run: 'msgctl dump account -q', isHidden: true },
      (stage) => stage.append('account/agents/ada.yaml', 'goal: Book tables\n'),
      { run: 'msgctl diff account', exits: 3 },
      'msgctl apply account --yes -q',
    ],
  },
  {
    title: 'Figures, drawn in the terminal; -o csv and -o json are for programs',
    steps: [
      { run: 'msgctl sandbox demo --messages 5000 --days 30 --seed 7', isHidden: true },
      'msgctl analytics series --metrics sent --from 28d --chart',
    ],
  },
];
