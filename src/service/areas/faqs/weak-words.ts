/**
 * Stop words in six languages, without accents. They do not find anything, unless a text consists only of such words. Words with
 * a meaning in another of the languages are left out, such as the German `hat` and `die`.
 */
export const weakWords: ReadonlySet<string> = new Set(
  `
  a about after all also am an and any are as at be because been before being but by can could did do does doing don for
  from get got had has have having he hello her here hey hi him his how i if in into is isn it its just like ll m may me
  might more most my need no not now of off ok on one only or our out over please re s she should so some such t than
  thank thanks that the their them then there these they this those to too under until up us ve very want was we were
  what when where which while who whom why will with would you your yours

  ab aber alle als auch auf aus bei beim bin bis bist bitte da damit dann das dass dein deine dem den der des dir doch
  durch ein eine einem einen einer eines er es etwas euch euer eure fur gern gerne gibt habe haben habt hallo hatte hatten
  hier ich ihm ihn ihnen ihr ihre im ist ja jede jeden jetzt kann kannst konnen konnte konnten mal mein meine meinem meinen
  meiner mich mir mit mochte mochten muss mussen nach nein nicht noch nun nur ob oder ohne schon sehr sein seine sich sie
  sind soll sollte uber um und uns unser unsere vom von vor warum was weil welche welchen welcher welches wenn wer werden
  wie wieder wir wird wo zu zum zur

  al algo como con cual cuales cuando cuanto cuantos de del desde donde el ella ellos en entre era esta estan este esto
  estoy fue ha hace hacer hay hola la las le les lo los mas mi mis muy necesito nos o os para pero por porque puede pueden
  puedo que quiero quien se ser si sin sobre solo soy su sus tambien te tengo tiene tienen todo todos tu un una unas uno
  unos usted ustedes y ya yo

  ai alors apres au aucun aussi autre aux avec avez avoir bien bonjour c ce cela ces cet cette chez combien comment d dans
  donc du elle elles est et etes etre eu fait faire faut il ils j je jusqu l leur leurs lui ma mais meme mes moi mon n ne
  ni notre nous ont ou par pas peu peut plait plus pour pourquoi puis qu quand quel quelle quelles quels qui sa sans ses sont
  suis sur ta tes toi ton tous tout tres une veux voudrais vos votre vous

  che ciao come cosa cui da dal dalla degli dei del della delle di dove e gli ho i io mia mio ne nei nel nella non per
  perche piu posso quale quali quando quanto quanti questo questa sono sua suo un uno vi voglio vorrei

  aan als bij dat deze dit een en er geen haar heb heeft hebben het hij hoe ik ik kan kunt maar me mijn moet naar niet nog
  of om ons onze ook op te tot uit van veel voor waar wanneer wat wel welke wie wij wil zijn zo zou
  `
    .split(/\s+/)
    .filter((word) => word !== ''),
);
