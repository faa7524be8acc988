import type { AskedFaq } from './questions.ts';

/** FAQs of a dentist in French, with messages that ask for each: reworded, and with typos. */
export const french: readonly AskedFaq[] = [
  {
    question: 'Comment prendre rendez-vous ?',
    answer: 'Par téléphone au 01 23 45 67 89 ou sur notre site.',
    reworded: ['je voudrais un rendez-vous', 'peut-on prendre un rendez-vous en ligne ?', 'prise de rendez-vous'],
    mistyped: ['comment prendre rendes-vous', 'coment prendre rendezvous'],
  },
  {
    question: 'Comment annuler un rendez-vous ?',
    answer: "Appelez-nous au moins 24 heures à l'avance.",
    reworded: ['je dois annuler mon rendez-vous de demain', 'annulation du rendez-vous', 'puis-je annuler ?'],
    mistyped: ['comment anuler un rendez-vous', 'comment annuller un rendez-vous'],
  },
  {
    question: "Quels sont vos horaires d'ouverture ?",
    answer: 'Le cabinet est ouvert du lundi au vendredi de 8 h à 18 h.',
    reworded: ['êtes-vous ouverts le lundi ?', "horaires d'ouverture du cabinet", 'à quelle heure ouvrez-vous ?'],
    mistyped: ["quels sont vos horraires d'ouverture", "quels sont vos horaires d'ouvertrue"],
  },
  {
    question: 'Combien coûte un détartrage ?',
    answer: 'Le détartrage coûte 43 euros, remboursés à 70 %.',
    reworded: ['quel est le coût du détartrage', 'je voudrais un détartrage', 'le détartrage est-il remboursé ?'],
    mistyped: ['combien coute un detartrge', 'combien coûte un détatrage'],
  },
  {
    question: 'Acceptez-vous la carte vitale ?',
    answer: 'Oui, nous acceptons la carte vitale et le tiers payant.',
    reworded: ['prenez-vous la carte vitale', "j'ai une carte vitale", 'cartes vitales acceptées ?'],
    mistyped: ['acceptez-vous la carte vitlae', 'aceptez-vous la crate vitale'],
  },
  {
    question: 'Que faire en cas de douleur le week-end ?',
    answer: 'Appelez le dentiste de garde au 3915.',
    reworded: ['je souffre de douleurs ce week-end', 'dentiste de garde', "j'ai une douleur, que faire"],
    mistyped: ['que faire en cas de doleur le week-end', 'que faire en cas de douleur le wekend'],
  },
  {
    question: 'Recevez-vous les enfants ?',
    answer: 'Nous recevons les enfants à partir de trois ans, le mercredi.',
    reworded: ['mon enfant a cinq ans', 'soignez-vous les enfants le mercredi ?', 'consultation pour enfants'],
    mistyped: ['recevez-vous les enfans', 'recevvez-vous les efnants'],
  },
  {
    question: 'Où se trouve le cabinet ?',
    answer: 'Au 4, rue de la Paix, à côté de la pharmacie.',
    reworded: ["l'adresse du cabinet s'il vous plaît", 'comment trouver le cabinet', 'le cabinet est dans quelle rue ?'],
    mistyped: ['ou se trouve le cabient', 'ou se touve le cabinet'],
  },
  {
    question: 'Faites-vous des implants ?',
    answer: 'Le docteur Martin pose des implants le jeudi.',
    reworded: ["j'ai besoin d'un implant", 'qui pose les implants', 'un implant dentaire'],
    mistyped: ['faites-vous des inplants', 'faites-vous des implnats'],
  },
  {
    question: 'Peut-on payer en plusieurs fois ?',
    answer: 'Oui, en trois fois sans frais à partir de 200 euros.',
    reworded: ['paiement en plusieurs fois', 'je voudrais payer en trois fois', 'plusieurs paiements possibles ?'],
    mistyped: ['peut-on payer en pluseurs fois', 'peut-on payer en plusieurs fios'],
  },
];

/** Messages that no FAQ of the dentist answers. */
export const frenchOffTopic: readonly string[] = [
  'Vendez-vous des licornes ?',
  'Qui a gagné le match hier ?',
  "Je t'aime",
  'Quel temps fera-t-il demain ?',
  'Raconte-moi une blague',
  'Mon voisin joue de la trompette la nuit',
];
