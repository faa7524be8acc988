import type { EventName } from '../../../../contract/areas/webhooks/event-names.ts';

/** A business whose history is made up. The history refers to its parts by index. */
export interface Business {
  /** The first agent answers new contacts. */
  readonly agents: readonly {
    readonly name: string;
    readonly goal: string;
    /** Those who write one get this agent. */ readonly keywords: readonly string[];
  }[];
  /** The campaigns, each with what it offers to contacts, and its agent. */
  readonly campaigns: readonly { readonly name: string; readonly offer: string; readonly agent: number }[];
  /** The account's own number or name on each of the channels in `names.ts`. */
  readonly identities: readonly string[];
  /** What contacts ask, and the FAQ that answers it. Those who ask it first have the agent. It may lead to an appointment. */
  readonly topics: readonly { readonly question: string; readonly answer: string; readonly agent: number; readonly books?: boolean }[];
  /** A question that no FAQ answers, in several wordings, and what people answer; null when everything is known. */
  readonly unknown: { readonly wordings: readonly string[]; readonly answer: string } | null;
  /** The index of the address of the first contact, so that businesses have different contacts. */
  readonly firstAddress: number;
  /** The name of the event type of the appointments. */
  readonly appointment: string;
  readonly webhooks: readonly Receiver[];
}

/** A webhook receiver of a business. Its address leads nowhere. */
export interface Receiver {
  readonly name: string;
  readonly url: string;
  readonly events: readonly EventName[];
  /** How it fails: in the bad week, now and then, with retries; or always in the last days, without. */
  readonly fails: 'in the bad week' | 'since some days';
}

const events = ['Appointment Booked', 'the service Alerted'] as const;

/** The agency itself: a restaurant with a shop. */
export const agency: Business = {
  agents: [
    { name: 'Ada', goal: 'Answer guests of the restaurant and customers of the shop', keywords: [] },
    {
      name: 'Max',
      goal: 'Find times for appointments',
      keywords: ['Appointment', 'Catering', 'Can I move my appointment to Friday?'],
    },
  ],
  campaigns: [
    { name: 'Spring menu', offer: 'Our spring menu is here.', agent: 0 },
    { name: 'Catering', offer: 'Planning a party? Shall we find a time to talk?', agent: 1 },
    { name: 'New arrivals', offer: 'New arrivals: 20 % off this week.', agent: 0 },
  ],
  identities: ['+14155550100', '+14155550101', 'front.desk'],
  topics: [
    { question: 'Do you have a table for two today?', answer: 'Yes, at noon and at five. Shall I hold one for you?', agent: 0 },
    { question: 'When are you open?', answer: 'We are open from nine to six, on Saturdays until two.', agent: 0 },
    { question: 'How much is delivery?', answer: 'Delivery is free from 40 euros.', agent: 0 },
    {
      question: 'Can I move my appointment to Friday?',
      answer: 'Yes, until the day before. Friday at ten is free: shall I book it?',
      agent: 1,
      books: true,
    },
    { question: 'Do you have this in blue?', answer: 'Yes, in three sizes.', agent: 0 },
    { question: 'Where is my order?', answer: 'It arrives the day after we have packed it.', agent: 0 },
    {
      question: 'Can you cater for thirty guests?',
      answer: 'With pleasure. Shall we find a time to talk about it?',
      agent: 0,
      books: true,
    },
  ],
  unknown: {
    wordings: ['Do you have gluten-free bread?', 'Have you got gluten-free bread?'],
    answer: 'Yes, on Tuesdays and Fridays.',
  },
  firstAddress: 0,
  appointment: 'Consultation',
  webhooks: [
    // Switched off, so that nothing is sent to it.
    { name: 'Front desk', url: 'https://front-desk.example/hooks', events, fails: 'in the bad week' },
    { name: 'Back office', url: 'https://back-office.example/hooks', events, fails: 'since some days' },
  ],
};

/** The sub-accounts of the agency, and the credits that each has in the end. */
export const clients: readonly { readonly name: string; readonly email: string; readonly credits: number; readonly business: Business }[] =
  [
    {
      name: 'Corner Bakery',
      email: 'hello@bakery.example',
      credits: 200,
      business: {
        agents: [{ name: 'Bea', goal: 'Take orders for cakes', keywords: [] }],
        campaigns: [{ name: 'Cakes to order', offer: 'Order your cake until Thursday, and collect it on Saturday.', agent: 0 }],
        identities: ['+14155550110', '+14155550111', 'corner.bakery'],
        topics: [
          { question: 'When does the bakery open?', answer: 'At seven, on Sundays at eight.', agent: 0 },
          {
            question: 'Do you bake wedding cakes?',
            answer: 'Yes, from 20 guests. Shall we find a time to taste some?',
            agent: 0,
            books: true,
          },
          { question: 'Do you deliver cakes?', answer: 'Within the city, for 5 euros.', agent: 0 },
          { question: 'Is the rye bread vegan?', answer: 'Yes: it is flour, water and salt.', agent: 0 },
        ],
        unknown: { wordings: ['Can my company pay by invoice?', 'Can we pay by invoice?'], answer: 'Yes, companies can.' },
        firstAddress: 2_000_000,
        appointment: 'Cake tasting',
        webhooks: [],
      },
    },
    {
      name: 'City Dental',
      email: 'desk@dental.example',
      credits: 50,
      business: {
        agents: [{ name: 'Dan', goal: 'Book check-ups', keywords: [] }],
        campaigns: [{ name: 'Reminders', offer: 'Your check-up is due. Shall we find a time?', agent: 0 }],
        identities: ['+14155550120', '+14155550121', 'city.dental'],
        topics: [
          { question: 'Do you take new patients?', answer: 'Yes. Shall we find a time?', agent: 0, books: true },
          { question: 'How long does a check-up take?', answer: 'Half an hour.', agent: 0 },
          { question: 'Can I cancel my appointment?', answer: 'Free of charge until the day before.', agent: 0 },
          { question: 'Where can I park?', answer: 'In the yard behind the house.', agent: 0 },
        ],
        unknown: { wordings: ['Do you treat children?', 'Do you also treat children?'], answer: 'From the age of six.' },
        firstAddress: 4_000_000,
        appointment: 'Check-up',
        webhooks: [],
      },
    },
  ];
