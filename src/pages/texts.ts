/** The texts of the pages in a language. */
export interface Texts {
  readonly write: string;
  readonly send: string;
  readonly you: string;
  readonly agent: string;
  readonly team: string;
  readonly typing: string;
  readonly offline: string;
  readonly waiting: string;
  readonly notSent: string;
  readonly tryAgain: string;
  readonly tooMany: string;
  readonly earlier: string;
  readonly gone: string;
  readonly start: string;
  readonly openChat: string;
  readonly closeChat: string;
  readonly notify: string;
  readonly newMessage: string;
  readonly needsScript: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly company: string;
  readonly note: string;
  readonly optional: string;
  readonly invalid: string;
  readonly openApp: string;
  readonly freeTimes: string;
  readonly zone: string;
  readonly noTimes: string;
  readonly laterDays: string;
  readonly earlierDays: string;
  readonly book: string;
  readonly otherTime: string;
  readonly taken: string;
  readonly booked: string;
  readonly canceled: string;
  readonly over: string;
  readonly cancel: string;
  readonly calendar: string;
  readonly appointment: string;
  readonly failed: string;
  readonly credits: string;
  readonly contactUs: string;
  readonly noMore: string;
  readonly later: string;
}

const en: Texts = {
  write: 'Write a message',
  send: 'Send',
  you: 'You',
  agent: 'Assistant',
  team: 'Team',
  typing: 'An answer is being written',
  offline: 'There is no connection. Your messages are sent when it is back.',
  waiting: 'Waiting',
  notSent: 'Not sent.',
  tryAgain: 'Try again',
  tooMany: 'Too many messages. Please wait a minute.',
  earlier: 'Earlier messages',
  gone: 'This chat is not available at the moment.',
  start: 'Start the chat',
  openChat: 'Open the chat',
  closeChat: 'Close the chat',
  notify: 'Tell me about answers',
  newMessage: 'New message',
  needsScript: 'This page needs JavaScript.',
  name: 'Name',
  email: 'Email',
  phone: 'Phone number',
  company: 'Company',
  note: 'Note',
  optional: 'optional',
  invalid: 'Please check this field.',
  openApp: 'Open the chat app',
  freeTimes: 'Free times',
  zone: 'Time zone',
  noTimes: 'There are no free times in these days.',
  laterDays: 'Later',
  earlierDays: 'Earlier',
  book: 'Book',
  otherTime: 'Choose another time',
  taken: 'This time was taken meanwhile. These are the next free times:',
  booked: 'Your appointment is booked.',
  canceled: 'Your appointment is canceled.',
  over: 'Your appointment has begun, so it can no longer be canceled here.',
  cancel: 'Cancel the appointment',
  calendar: 'Add to the calendar',
  appointment: 'Your appointment',
  failed: 'That did not work. Please try again.',
  credits: 'credits',
  contactUs: 'Write to us',
  noMore: 'No more bookings are possible for this number at the moment.',
  later: 'There were too many bookings from here. Please try again later.',
};

const de: Texts = {
  write: 'Nachricht schreiben',
  send: 'Senden',
  you: 'Sie',
  agent: 'Assistent',
  team: 'Team',
  typing: 'Eine Antwort wird geschrieben',
  offline: 'Es gibt keine Verbindung. Ihre Nachrichten werden gesendet, sobald sie wieder da ist.',
  waiting: 'Wartet',
  notSent: 'Nicht gesendet.',
  tryAgain: 'Erneut versuchen',
  tooMany: 'Zu viele Nachrichten. Bitte warten Sie eine Minute.',
  earlier: 'Frühere Nachrichten',
  gone: 'Dieser Chat ist zurzeit nicht verfügbar.',
  start: 'Chat beginnen',
  openChat: 'Chat öffnen',
  closeChat: 'Chat schließen',
  notify: 'Über Antworten benachrichtigen',
  newMessage: 'Neue Nachricht',
  needsScript: 'Diese Seite braucht JavaScript.',
  name: 'Name',
  email: 'E-Mail',
  phone: 'Telefonnummer',
  company: 'Firma',
  note: 'Anmerkung',
  optional: 'freiwillig',
  invalid: 'Bitte prüfen Sie dieses Feld.',
  openApp: 'Chat-App öffnen',
  freeTimes: 'Freie Termine',
  zone: 'Zeitzone',
  noTimes: 'An diesen Tagen gibt es keine freien Termine.',
  laterDays: 'Später',
  earlierDays: 'Früher',
  book: 'Buchen',
  otherTime: 'Andere Zeit wählen',
  taken: 'Dieser Termin wurde inzwischen vergeben. Das sind die nächsten freien:',
  booked: 'Ihr Termin ist gebucht.',
  canceled: 'Ihr Termin ist abgesagt.',
  over: 'Ihr Termin hat begonnen und kann hier nicht mehr abgesagt werden.',
  cancel: 'Termin absagen',
  calendar: 'Zum Kalender hinzufügen',
  appointment: 'Ihr Termin',
  failed: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  credits: 'Credits',
  contactUs: 'Schreiben Sie uns',
  noMore: 'Für diese Nummer sind zurzeit keine weiteren Buchungen möglich.',
  later: 'Von hier kamen zu viele Buchungen. Bitte versuchen Sie es später noch einmal.',
};

const fr: Texts = {
  write: 'Écrire un message',
  send: 'Envoyer',
  you: 'Vous',
  agent: 'Assistant',
  team: 'Équipe',
  typing: 'Une réponse est en cours de rédaction',
  offline: 'Il n’y a pas de connexion. Vos messages seront envoyés dès qu’elle sera rétablie.',
  waiting: 'En attente',
  notSent: 'Non envoyé.',
  tryAgain: 'Réessayer',
  tooMany: 'Trop de messages. Veuillez patienter une minute.',
  earlier: 'Messages précédents',
  gone: 'Ce chat n’est pas disponible pour le moment.',
  start: 'Commencer le chat',
  openChat: 'Ouvrir le chat',
  closeChat: 'Fermer le chat',
  notify: 'M’avertir des réponses',
  newMessage: 'Nouveau message',
  needsScript: 'Cette page nécessite JavaScript.',
  name: 'Nom',
  email: 'E-mail',
  phone: 'Numéro de téléphone',
  company: 'Société',
  note: 'Remarque',
  optional: 'facultatif',
  invalid: 'Veuillez vérifier ce champ.',
  openApp: 'Ouvrir l’application de chat',
  freeTimes: 'Créneaux libres',
  zone: 'Fuseau horaire',
  noTimes: 'Aucun créneau libre ces jours-ci.',
  laterDays: 'Plus tard',
  earlierDays: 'Plus tôt',
  book: 'Réserver',
  otherTime: 'Choisir un autre créneau',
  taken: 'Ce créneau vient d’être pris. Voici les prochains créneaux libres :',
  booked: 'Votre rendez-vous est réservé.',
  canceled: 'Votre rendez-vous est annulé.',
  over: 'Votre rendez-vous a commencé et ne peut plus être annulé ici.',
  cancel: 'Annuler le rendez-vous',
  calendar: 'Ajouter au calendrier',
  appointment: 'Votre rendez-vous',
  failed: 'Cela n’a pas fonctionné. Veuillez réessayer.',
  credits: 'crédits',
  contactUs: 'Écrivez-nous',
  noMore: 'Aucune autre réservation n’est possible pour ce numéro pour le moment.',
  later: 'Trop de réservations ont été faites d’ici. Veuillez réessayer plus tard.',
};

const es: Texts = {
  write: 'Escribir un mensaje',
  send: 'Enviar',
  you: 'Usted',
  agent: 'Asistente',
  team: 'Equipo',
  typing: 'Se está escribiendo una respuesta',
  offline: 'No hay conexión. Sus mensajes se enviarán cuando vuelva.',
  waiting: 'En espera',
  notSent: 'No enviado.',
  tryAgain: 'Reintentar',
  tooMany: 'Demasiados mensajes. Espere un minuto.',
  earlier: 'Mensajes anteriores',
  gone: 'Este chat no está disponible en este momento.',
  start: 'Iniciar el chat',
  openChat: 'Abrir el chat',
  closeChat: 'Cerrar el chat',
  notify: 'Avisarme de las respuestas',
  newMessage: 'Mensaje nuevo',
  needsScript: 'Esta página necesita JavaScript.',
  name: 'Nombre',
  email: 'Correo electrónico',
  phone: 'Número de teléfono',
  company: 'Empresa',
  note: 'Nota',
  optional: 'opcional',
  invalid: 'Revise este campo.',
  openApp: 'Abrir la aplicación de chat',
  freeTimes: 'Horas libres',
  zone: 'Zona horaria',
  noTimes: 'No hay horas libres en estos días.',
  laterDays: 'Más tarde',
  earlierDays: 'Antes',
  book: 'Reservar',
  otherTime: 'Elegir otra hora',
  taken: 'Esta hora se ha ocupado mientras tanto. Estas son las próximas horas libres:',
  booked: 'Su cita está reservada.',
  canceled: 'Su cita está cancelada.',
  over: 'Su cita ya ha comenzado y no se puede cancelar aquí.',
  cancel: 'Cancelar la cita',
  calendar: 'Añadir al calendario',
  appointment: 'Su cita',
  failed: 'No ha funcionado. Inténtelo de nuevo.',
  credits: 'créditos',
  contactUs: 'Escríbanos',
  noMore: 'Por ahora no se pueden hacer más reservas con este número.',
  later: 'Se hicieron demasiadas reservas desde aquí. Inténtelo de nuevo más tarde.',
};

const it: Texts = {
  write: 'Scrivi un messaggio',
  send: 'Invia',
  you: 'Lei',
  agent: 'Assistente',
  team: 'Team',
  typing: 'Si sta scrivendo una risposta',
  offline: 'Non c’è connessione. I messaggi saranno inviati quando tornerà.',
  waiting: 'In attesa',
  notSent: 'Non inviato.',
  tryAgain: 'Riprova',
  tooMany: 'Troppi messaggi. Attenda un minuto.',
  earlier: 'Messaggi precedenti',
  gone: 'Questa chat non è disponibile al momento.',
  start: 'Inizia la chat',
  openChat: 'Apri la chat',
  closeChat: 'Chiudi la chat',
  notify: 'Avvisami delle risposte',
  newMessage: 'Nuovo messaggio',
  needsScript: 'Questa pagina richiede JavaScript.',
  name: 'Nome',
  email: 'E-mail',
  phone: 'Numero di telefono',
  company: 'Azienda',
  note: 'Nota',
  optional: 'facoltativo',
  invalid: 'Controlli questo campo.',
  openApp: 'Apri l’app di chat',
  freeTimes: 'Orari liberi',
  zone: 'Fuso orario',
  noTimes: 'Non ci sono orari liberi in questi giorni.',
  laterDays: 'Più tardi',
  earlierDays: 'Prima',
  book: 'Prenota',
  otherTime: 'Scegli un altro orario',
  taken: 'Questo orario è stato preso nel frattempo. Ecco i prossimi orari liberi:',
  booked: 'Il Suo appuntamento è prenotato.',
  canceled: 'Il Suo appuntamento è annullato.',
  over: 'Il Suo appuntamento è iniziato e non può più essere annullato qui.',
  cancel: 'Annulla l’appuntamento',
  calendar: 'Aggiungi al calendario',
  appointment: 'Il Suo appuntamento',
  failed: 'Non ha funzionato. Riprovi.',
  credits: 'crediti',
  contactUs: 'Ci scriva',
  noMore: 'Al momento non sono possibili altre prenotazioni per questo numero.',
  later: 'Da qui sono arrivate troppe prenotazioni. Riprovi più tardi.',
};

const nl: Texts = {
  write: 'Schrijf een bericht',
  send: 'Versturen',
  you: 'U',
  agent: 'Assistent',
  team: 'Team',
  typing: 'Er wordt een antwoord geschreven',
  offline: 'Er is geen verbinding. Uw berichten worden verstuurd zodra die terug is.',
  waiting: 'Wacht',
  notSent: 'Niet verstuurd.',
  tryAgain: 'Opnieuw proberen',
  tooMany: 'Te veel berichten. Wacht een minuut.',
  earlier: 'Eerdere berichten',
  gone: 'Deze chat is op dit moment niet beschikbaar.',
  start: 'Chat beginnen',
  openChat: 'Chat openen',
  closeChat: 'Chat sluiten',
  notify: 'Meld antwoorden',
  newMessage: 'Nieuw bericht',
  needsScript: 'Deze pagina heeft JavaScript nodig.',
  name: 'Naam',
  email: 'E-mail',
  phone: 'Telefoonnummer',
  company: 'Bedrijf',
  note: 'Opmerking',
  optional: 'niet verplicht',
  invalid: 'Controleer dit veld.',
  openApp: 'Chat-app openen',
  freeTimes: 'Vrije tijden',
  zone: 'Tijdzone',
  noTimes: 'Er zijn geen vrije tijden op deze dagen.',
  laterDays: 'Later',
  earlierDays: 'Eerder',
  book: 'Boeken',
  otherTime: 'Andere tijd kiezen',
  taken: 'Deze tijd is intussen bezet. Dit zijn de volgende vrije tijden:',
  booked: 'Uw afspraak is geboekt.',
  canceled: 'Uw afspraak is geannuleerd.',
  over: 'Uw afspraak is begonnen en kan hier niet meer worden geannuleerd.',
  cancel: 'Afspraak annuleren',
  calendar: 'Aan agenda toevoegen',
  appointment: 'Uw afspraak',
  failed: 'Dat is niet gelukt. Probeer het opnieuw.',
  credits: 'credits',
  contactUs: 'Schrijf ons',
  noMore: 'Voor dit nummer zijn er nu geen boekingen meer mogelijk.',
  later: 'Er zijn vanaf hier te veel boekingen gedaan. Probeer het later opnieuw.',
};

const all = { en, de, fr, es, it, nl } as const;

/** The languages of the pages. */
export type Language = keyof typeof all;

export function textsIn(language: Language): Texts {
  return all[language];
}
