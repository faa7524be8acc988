import { pdf } from '../../test/support/pdf.ts';
import { startModel, startReceiver, startSite, startWeather } from './servers.ts';
import { type Step, file } from './stage.ts';

/** A part of the demo. */
export interface Chapter {
  readonly name: string;
  readonly title: string;
  /** The chapters that prepare what this one needs. They run hidden when it runs alone. */
  readonly needs?: readonly string[];
  readonly steps: readonly Step[];
}

const answerOf = <T>(stdout: string): T => JSON.parse(stdout) as T;

const careOfFerns = pdf([
  [
    { text: 'How often do I water a fern?', y: 780, size: 20 },
    { text: 'Once a week, and twice in summer.', y: 750 },
  ],
]);

/** The variables that name the model of the demo. */
const withModel = 'MSGCTL_AI_BASE_URL={model}/v1 MSGCTL_AI_MODEL=demo';

/** All chapters, in the order of `npm run demo -- all`. */
export const chapters: readonly Chapter[] = [
  {
    name: 'clients',
    title: 'An agency, and its clients: create one, and transfer credits to it',
    steps: [
      'msgctl whoami',
      "msgctl accounts create 'Corner Bakery' --email hello@bakery.example -o json",
      "msgctl accounts transfer 'Corner Bakery' --amount 250",
      'msgctl accounts list',
    ],
  },
  {
    name: 'keys',
    title: 'Rotate the main key, and make a key that can only read tags',
    needs: ['clients'],
    steps: [
      'msgctl keys rotate --yes',
      'msgctl health',
      {
        run: 'msgctl keys create --label Reports --section Tags --expires 30d -o json',
        keep: (stdout) => ({ key: answerOf<{ api_key: string }>(stdout).api_key }),
      },
      "msgctl tags create VIP --description 'Buys often: answer first' --sub-account 'Corner Bakery' -o json",
      'msgctl tags create Newsletter --quiet',
      'MSGCTL_API_KEY={key} msgctl tags list --quiet',
      { run: 'MSGCTL_API_KEY={key} msgctl tags create Refused --quiet', exits: 4 },
      { run: 'MSGCTL_API_KEY={key} msgctl lists list --quiet', exits: 4 },
    ],
  },
  {
    name: 'webhooks',
    title: 'Subscribe a webhook receiver, diagnose a failure, fix it',
    steps: [
      (stage) => stage.serve('receiver', startReceiver()),
      "msgctl webhooks create {receiver}/hook --name shop --events 'Replies,Task Created' --generate-signing-secret --quiet",
      'msgctl webhooks test shop',
      (stage) => stage.receiverAnswers(500),
      'msgctl sandbox events trigger Replies --quiet',
      ...Array<Step>(9).fill({ run: 'msgctl sandbox events trigger Replies --quiet', isHidden: true }),
      { run: "msgctl webhooks health --fail-on 'success<99%'", exits: 3 },
      { run: 'msgctl webhooks doctor shop --fields check,status,fix', exits: 1 },
      (stage) => stage.receiverAnswers(200),
      'msgctl webhooks reenable shop --quiet',
      "msgctl sandbox events trigger 'Task Created' --quiet",
      'msgctl webhooks health',
    ],
  },
  {
    name: 'contacts',
    title: 'Import contacts; invalid rows are reported and written to a file',
    steps: [
      file('people.csv', 'Phone;First name;Surname\n+14155550123;Ada;Lovelace\n0415;Bob;Nobody\n+14155550124;Grace;Hopper\n'),
      { run: 'msgctl contacts import people.csv --rejects rejected.csv', exits: 8 },
      'msgctl contacts list',
    ],
  },
  {
    name: 'messages',
    title: 'Send a message; the contact replies, and a team member takes over',
    needs: ['contacts'],
    steps: [
      'msgctl sandbox channels add chatapp +14155550100 --quiet',
      {
        run: "msgctl contacts send +14155550123 'Your table is ready.' -o json",
        keep: (stdout) => ({ message: answerOf<{ message_id: string }>(stdout).message_id }),
      },
      'msgctl sandbox receipt {message} read --quiet',
      "msgctl sandbox inbound +14155550123 'Thank you, on my way!'",
      "msgctl sandbox team-reply +14155550123 'See you soon, Eve' --quiet",
      'msgctl contacts messages +14155550123',
      'msgctl credits --fields balance',
    ],
  },
  {
    name: 'agents',
    title: 'An agent answers from its FAQs, says why, and hands over to people',
    needs: ['contacts', 'messages'],
    steps: [
      "msgctl agents create Ada --language en --alert-human-when 'speak to someone' --quiet",
      'msgctl campaigns create Restaurant --agent Ada --fields id,name,agent_id',
      "msgctl faqs create Restaurant 'When do you open?' 'At nine, every day but Sunday.' --quiet",
      "msgctl faqs create Restaurant 'What is on the menu?' 'Soup, pasta and cake.' --quiet",
      'msgctl routing rules create Ada --channels chatapp --keywords table,menu --quiet',
      'msgctl routing map',
      'msgctl routing explain --channel chatapp --from +14155550125 --text Menu',
      'msgctl sandbox inbound +14155550125 Menu --fields decision.reason,reply.source,reply.body --quiet',
      "msgctl sandbox inbound +14155550125 'When do you open?' --fields reply.source,reply.body --quiet",
      "msgctl sandbox inbound +14155550125 'May I speak to someone?' --fields reply.source,reply.body --quiet",
      "msgctl sandbox team-reply +14155550125 'Eve here: how can I help?' --quiet",
      "msgctl sandbox inbound +14155550125 'When do you open?' --fields decision.reason,reply.body --quiet",
      'msgctl contacts resume +14155550125 --fields phone_number,paused',
      "msgctl sandbox inbound +14155550125 'When do you open?' --fields decision.reason,reply.body --quiet",
      "msgctl sandbox inbound +14155550125 'Do you have vegan cheese?' --fields reply.source --quiet",
      "msgctl sandbox inbound +14155550125 'vegan cheese?' --fields reply.source --quiet",
      'msgctl kb gaps',
      file('suite.yaml', 'cases:\n  - message: vegan cheese?\n    expect: { source: faq, text: pasta }\n'),
      { run: 'msgctl agents test Ada suite.yaml', exits: 1 },
      "msgctl kb gaps answer 'vegan cheese' 'Yes, with the pasta.' --fields question,status,faq_id",
      "msgctl kb ask Ada 'vegan cheese?'",
      'msgctl agents test Ada suite.yaml',
    ],
  },
  {
    name: 'knowledge',
    title: 'A website and a PDF become FAQs that an agent answers from',
    steps: [
      (stage) => stage.serve('site', startSite()),
      'msgctl agents create Eve --quiet',
      'msgctl kb discover {site} --fields score,recommendation,title',
      'msgctl kb import {site} --recommended --agent Eve --wait --fields ref,status,faq_count',
      file('care.pdf', careOfFerns),
      'msgctl kb import care.pdf --agent Eve --wait --fields ref,status,faq_count',
      'msgctl routing defaults set sms Eve --quiet',
      'msgctl sandbox channels add sms +14155550111 --quiet',
      "msgctl sandbox inbound +14155550166 'how often do I water my fern' --channel sms --fields reply.source,reply.body",
      "msgctl kb ask Eve 'Do you ship abroad?'",
    ],
  },
  {
    name: 'functions',
    title: 'An agent calls a function; its conversation becomes a test',
    steps: [
      (stage) => stage.serve('weather', startWeather()),
      (stage) => stage.serve('model', startModel()),
      { run: 'msgctl sandbox channels add device_messenger +14155550112', isHidden: true },
      { run: 'msgctl agents create Nora', isHidden: true },
      { run: 'msgctl routing defaults set device_messenger Nora', isHidden: true },
      file(
        'weather.yaml',
        'description: The weather of a city\nparameters: { type: object, required: [city], properties: { city: { type: string } } }\n',
      ),
      'msgctl functions create get_weather {weather} --input weather.yaml -q --fields name,url',
      'msgctl functions test get_weather city=Berlin',
      'msgctl agents functions add Nora get_weather -q --fields agent_id',
      {
        run: `${withModel} msgctl sandbox inbound +14155550167 'How is the weather in Berlin?' --channel device_messenger -o json`,
        isHidden: true,
        keep: (stdout) => ({ session: answerOf<{ session_id: string }>(stdout).session_id }),
      },
      'msgctl sessions get {session}',
      'msgctl agents test --from-session {session}',
      { run: 'msgctl agents test weather-suite.yaml --from-session {session} --save', isHidden: true },
      `${withModel} msgctl agents test weather-suite.yaml`,
      'msgctl agents functions remove Nora get_weather',
      { run: `${withModel} msgctl agents test weather-suite.yaml`, exits: 1 },
      { run: 'msgctl agents functions add Nora get_weather', isHidden: true },
      `${withModel} msgctl agents test weather-suite.yaml`,
    ],
  },
  {
    name: 'broadcasts',
    title: 'Send a broadcast',
    needs: ['contacts', 'messages'],
    steps: [
      "msgctl broadcasts create 'Spring offer' --contacts +14155550123 --body '10 % off this week' -o json --fields id,status",
      "msgctl broadcasts submit 'Spring offer' --fields status",
      "msgctl broadcasts approve 'Spring offer' --yes --fields status",
      'msgctl broadcasts list',
    ],
  },
  {
    name: 'templates',
    title: 'A template is checked, submitted and approved; then it can be sent at any time',
    needs: ['contacts', 'messages'],
    steps: [
      file('order_ready.en.yaml', 'name: order_ready\nlanguage: en\nbody: Hi {first_name}, order {{order}} is ready.\n'),
      'msgctl templates lint order_ready.en.yaml',
      'msgctl templates create --input order_ready.en.yaml --category utility --quiet',
      'msgctl templates submit order_ready --quiet',
      'msgctl sandbox review order_ready approved --quiet',
      { run: "msgctl templates send order_ready 'Ada Lovelace' --dry-run", exits: 1 },
      "msgctl templates send order_ready 'Ada Lovelace' --var order=4711 --dry-run",
      "msgctl templates send order_ready 'Ada Lovelace' --var order=4711 --quiet",
    ],
  },
  {
    name: 'appointments',
    title: 'Appointments: the free slots, a booking, a move, a cancellation',
    needs: ['contacts'],
    steps: [
      'msgctl events create Consultation --availability ' +
        `'{"tuesday":{"start_time":"09:00","end_time":"12:00"},"thursday":{"start_time":"14:00","end_time":"16:00"}}' ` +
        '--timezone Europe/Berlin --slot-minutes 60 --quiet --fields name,timezone,slot_minutes',
      'msgctl appointments slots Consultation --from tomorrow --fields slot,end,start_time',
      {
        run: 'msgctl appointments slots Consultation --from tomorrow -o tsv --no-header --fields slot',
        isHidden: true,
        keep: (stdout) => {
          const [first = '', second = ''] = stdout.split('\n');
          return { first, second };
        },
      },
      {
        run: "msgctl appointments book +14155550123 Consultation '{first}' -o json --fields id,status,start_time",
        keep: (stdout) => ({ appointment: answerOf<{ appointment: { id: string } }>(stdout).appointment.id }),
      },
      { run: "msgctl appointments book +14155550124 Consultation '{first}' --quiet", exits: 6 },
      "msgctl appointments reschedule {appointment} '{second}' --fields when,until,timezone",
      'msgctl appointments export --format ics',
      'msgctl appointments cancel {appointment} --reason Ill',
    ],
  },
  {
    name: 'account-as-code',
    title: 'The account as files: dump, an edit, diff, apply, undo',
    needs: ['knowledge'],
    steps: [
      'msgctl dump account',
      (stage) => stage.append('account/agents/eve.yaml', 'goal: Sell ferns\n'),
      { run: 'msgctl diff account', exits: 3 },
      'msgctl apply account --yes --quiet',
      'msgctl diff account',
      'msgctl undo --yes --quiet',
    ],
  },
  {
    name: 'analytics',
    title: 'A made-up history, and a series of it as a table, a chart and CSV',
    steps: [
      'msgctl sandbox demo --messages 20000 --days 60 --seed 7',
      'msgctl analytics series --metrics sent,replied --from 28d --granularity week',
      'msgctl analytics series --metrics sent,replied --from 28d --chart',
      'msgctl analytics series --metrics sent,replied --from 28d --granularity week --group-by channel --pivot -o csv',
    ],
  },
  {
    name: 'output',
    title: 'Output for people, spreadsheets and scripts',
    needs: ['clients', 'keys'],
    steps: [
      "msgctl lists create 'Spring campaign' --quiet",
      'msgctl lists list',
      'msgctl keys list -o csv',
      "msgctl tags list --sub-account 'Corner Bakery' -o yaml",
    ],
  },
  {
    name: 'agency',
    title: 'A new client gets the configuration of another, a message goes out on time, and what clients used is added up',
    needs: ['clients', 'contacts', 'messages', 'agents'],
    steps: [
      'msgctl snapshots create Restaurants --fields name,counts',
      "msgctl accounts create 'Corner Cafe' --fields name",
      "msgctl snapshots apply Restaurants 'Corner Cafe' --yes",
      "msgctl agents list --sub-account 'Corner Cafe' --fields name,active",
      "msgctl schedules create Lunch --every 'day 11:00' --message 'Soup today' --contact +14155550123 --yes --fields name,does,next_run_at",
      'msgctl sandbox clock freeze --quiet',
      'msgctl sandbox clock advance 2d --quiet',
      'msgctl schedules list --fields name,does,status,last_run.ok',
      'msgctl agency price 20 --quiet',
      'msgctl agency usage --fields name,credits_spent,price_usd,messages_sent',
      'msgctl sandbox clock run --quiet',
    ],
  },
];
