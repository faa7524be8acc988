import type { AskedFaq } from './questions.ts';

/** FAQs of a hotel in German, with messages that ask for each: reworded, and with typos. */
export const german: readonly AskedFaq[] = [
  {
    question: 'Ab wann kann ich einchecken?',
    answer: 'Der Check-in ist ab 15 Uhr möglich. Ihr Gepäck nehmen wir gern früher an.',
    reworded: ['Um wie viel Uhr kann man einchecken?', 'Können wir schon um 12 einchecken', 'ab wann ist der Check-in möglich'],
    mistyped: ['ab wann kann ich einchekcen', 'Ab wan kann ich einchecken?'],
  },
  {
    question: 'Bis wann muss ich auschecken?',
    answer: 'Bitte verlassen Sie das Zimmer bis 11 Uhr. Ein später Check-out kostet 20 Euro.',
    reworded: ['wann müssen wir auschecken', 'Ist ein später Check-out möglich?', 'Auschecken um 12 Uhr geht das?'],
    mistyped: ['bis wann muss ich ausscheken', 'bis wann mus ich auscheckne'],
  },
  {
    question: 'Ist das Frühstück im Preis enthalten?',
    answer: 'Das Frühstück kostet 18 Euro pro Person und Tag.',
    reworded: ['Was kostet das Frühstück?', 'ist Frühstück dabei', 'Wie teuer ist bei Ihnen das Frühstücksbuffet?'],
    mistyped: ['ist das Früstück im preis enthalten', 'ist das fruehstück im Preis enthalten'],
  },
  {
    question: 'Gibt es kostenloses WLAN?',
    answer: 'WLAN ist im ganzen Haus kostenlos. Das Passwort erhalten Sie an der Rezeption.',
    reworded: ['Wie lautet das Passwort für das WLAN?', 'habt ihr WLAN', 'funktioniert das WLAN auch im Zimmer?'],
    mistyped: ['gibt es kostenlses WLAN', 'gibt es kostenloses wlna'],
  },
  {
    question: 'Sind Haustiere erlaubt?',
    answer: 'Hunde und Katzen sind willkommen und kosten 15 Euro pro Nacht.',
    reworded: ['Darf ich mein Haustier mitbringen?', 'Ich reise mit meinem Hund, ist das erlaubt?', 'Was kosten Hunde pro Nacht'],
    mistyped: ['sind haustire erlaubt', 'sind Hasutiere erlaubt'],
  },
  {
    question: 'Wie kann ich meine Buchung stornieren?',
    answer: 'Bis 48 Stunden vor der Anreise stornieren Sie kostenlos über den Link in der Bestätigung.',
    reworded: ['Ich möchte stornieren', 'Stornierung der Buchung', 'Kann ich noch kostenlos stornieren?'],
    mistyped: ['wie kann ich meine buchung stronieren', 'wie kann ich meine Bucung stornieren'],
  },
  {
    question: 'Haben Sie Parkplätze?',
    answer: 'In der Tiefgarage gibt es 40 Parkplätze für 12 Euro pro Tag.',
    reworded: ['Wo kann ich parken?', 'Kostet ein Parkplatz etwas', 'gibt es eine Tiefgarage?'],
    mistyped: ['haben sie parkpläzte', 'haben Sie Parkpletze'],
  },
  {
    question: 'Wie komme ich vom Flughafen zum Hotel?',
    answer: 'Mit der S-Bahn S8 in 35 Minuten bis Marienplatz, dann zwei Minuten zu Fuß.',
    reworded: ['Gibt es eine Bahn vom Flughafen?', 'wie weit ist es zum Flughafen', 'Anreise vom Flughafen'],
    mistyped: ['wie komme ich vom flugahfen zum hotel', 'wie komm ich vom Fluhafen zum Hotel'],
  },
  {
    question: 'Hat das Hotel ein Schwimmbad?',
    answer: 'Das Schwimmbad im Untergeschoss ist täglich von 7 bis 22 Uhr geöffnet.',
    reworded: ['Wann ist das Schwimmbad geöffnet?', 'kann man bei euch schwimmen', 'Öffnungszeiten vom Schwimmbad'],
    mistyped: ['hat das hotel ein schwimbad', 'hat das Hotel ein Schwimmabd'],
  },
  {
    question: 'Gibt es eine Sauna?',
    answer: 'Ja, die finnische Sauna ist ab 16 Uhr in Betrieb. Handtücher liegen bereit.',
    reworded: ['Wann kann ich in die Sauna?', 'Sauna vorhanden?', 'Muss man für die Sauna Handtücher mitbringen'],
    mistyped: ['gibt es eine suana', 'gibt es eine Saunna'],
  },
  {
    question: 'Kann ich ein Zustellbett bekommen?',
    answer: 'Ein Zustellbett kostet 35 Euro pro Nacht, ein Kinderbett ist kostenlos.',
    reworded: ['Wir brauchen ein Zustellbett', 'Habt ihr auch Kinderbetten?', 'Was kostet ein zusätzliches Bett'],
    mistyped: ['kann ich ein zustelbett bekommen', 'kann ich ein Zustellebtt bekomen'],
  },
  {
    question: 'Bieten Sie vegetarisches Essen an?',
    answer: 'Auf jeder Karte stehen vegetarische und vegane Gerichte.',
    reworded: ['Ich bin Vegetarier', 'gibt es vegetarische Gerichte', 'Kann man bei Ihnen vegan essen?'],
    mistyped: ['bieten sie vegetarishes essen an', 'bieten Sie vegetraisches Essen an'],
  },
  {
    question: 'Ist das Hotel barrierefrei?',
    answer: 'Alle Etagen sind mit dem Aufzug erreichbar, drei Zimmer sind für Rollstühle eingerichtet.',
    reworded: ['Ich sitze im Rollstuhl', 'Gibt es einen Aufzug?', 'barrierefreie Zimmer'],
    mistyped: ['ist das hotel barierefrei', 'ist das Hotel barrierefrie'],
  },
  {
    question: 'Wie kann ich bezahlen?',
    answer: 'Bar, mit EC-Karte und mit allen gängigen Kreditkarten.',
    reworded: ['Nehmen Sie Kreditkarten?', 'kann man bar bezahlen', 'Welche Zahlungsarten gibt es?'],
    mistyped: ['wie kann ich bezahln', 'wie kan ich bezhalen'],
  },
  {
    question: 'Bekomme ich eine Rechnung auf meine Firma?',
    answer: 'Nennen Sie uns beim Check-out die Anschrift der Firma, dann stellen wir die Rechnung darauf aus.',
    reworded: [
      'Ich brauche eine Rechnung für meine Firma',
      'Rechnung bitte an die Firma',
      'Können Sie die Rechnungen auf die Firma ausstellen?',
    ],
    mistyped: ['bekomme ich eine rechnug auf meine firma', 'bekomme ich eine Rechnung auf meine Frima'],
  },
  {
    question: 'Gibt es ein Fitnessstudio?',
    answer: 'Im vierten Stock, rund um die Uhr geöffnet.',
    reworded: ['Kann ich im Hotel Fitness machen', 'habt ihr ein Fitnessstudio?', 'wann hat das Fitnessstudio geöffnet'],
    mistyped: ['gibt es ein fitnesstudio', 'gibt es ein Fitnesssutdio'],
  },
  {
    question: 'Kann ich mein Gepäck nach der Abreise abstellen?',
    answer: 'Der Gepäckraum neben der Rezeption ist kostenlos.',
    reworded: [
      'Wo kann ich das Gepäck lassen?',
      'Gepäckaufbewahrung',
      'wir reisen ab und möchten die Koffer und das Gepäck noch abstellen',
    ],
    mistyped: ['kann ich mein gepäk nach der abreise abstellen', 'kann ich mein Gepäck nach der Abriese abstellen'],
  },
  {
    question: 'Wann öffnet das Restaurant?',
    answer: 'Das Restaurant ist von 12 bis 14 und von 18 bis 22 Uhr geöffnet, montags geschlossen.',
    reworded: ['Hat das Restaurant montags offen?', 'Öffnungszeiten Restaurant', 'bis wann ist das Restaurant geöffnet'],
    mistyped: ['wann öffnet das restuarant', 'wann öffnet das Restorant'],
  },
  {
    question: 'Darf man im Zimmer rauchen?',
    answer: 'Alle Zimmer sind Nichtraucherzimmer. Rauchen ist auf der Terrasse erlaubt.',
    reworded: ['wo darf ich rauchen?', 'haben Sie Raucherzimmer', 'ist Rauchen auf dem Balkon erlaubt'],
    mistyped: ['darf man im zimmer ruachen', 'darf man im Zimemr rauchen'],
  },
  {
    question: 'Kann ich Tickets für die Oper buchen?',
    answer: 'Unsere Rezeption bucht Tickets für Oper, Theater und Konzerte.',
    reworded: ['Wir möchten in die Oper', 'Können Sie uns Tickets für ein Konzert besorgen?', 'Opernkarten'],
    mistyped: ['kann ich tikets für die oper buchen', 'kann ich Tickets für die Opre buchen'],
  },
];

/** Messages that no FAQ of the hotel answers. */
export const germanOffTopic: readonly string[] = [
  'Verkaufen Sie Einhörner?',
  'Wer hat gestern das Spiel gewonnen?',
  'Wie hoch ist der Mount Everest?',
  'Schreib mir ein Gedicht über das Meer',
  'Ich liebe dich',
  'Wie wird morgen das Wetter?',
  'Reparieren Sie Fahrräder?',
  'Mein Nachbar spielt nachts Trompete',
  'Erzähl mir einen Witz',
  'Was ist deine Lieblingsfarbe?',
];
