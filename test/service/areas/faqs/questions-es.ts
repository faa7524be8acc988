import type { AskedFaq } from './questions.ts';

/** FAQs of a language school in Spanish, with messages that ask for each: reworded, and with typos. */
export const spanish: readonly AskedFaq[] = [
  {
    question: '¿Cuánto cuesta un curso?',
    answer: 'Un curso de cuatro semanas cuesta 240 euros, con el material incluido.',
    reworded: ['qué cuestan los cursos', '¿El material está incluido en el curso?', 'costo de un curso por favor'],
    mistyped: ['cuanto cuesta un crso', 'cuanto cueta un curso'],
  },
  {
    question: '¿Cuándo empiezan las clases?',
    answer: 'Las clases empiezan el primer lunes de cada mes.',
    reworded: ['quiero saber cuándo empieza la próxima clase', '¿empiezan el lunes?', 'fecha en que empiezan las clases'],
    mistyped: ['cuando empiesan las clases', 'cuando empiezan las calses'],
  },
  {
    question: '¿Cómo puedo inscribirme?',
    answer: 'La inscripción se hace en la página web o en la oficina, con su documento de identidad.',
    reworded: ['me quiero inscribir', '¿dónde se hace la inscripción?', 'inscribirse en la oficina'],
    mistyped: ['como puedo incribirme', 'como puedo inscribrime'],
  },
  {
    question: '¿Hay clases por la tarde?',
    answer: 'Sí, de 17 a 19 y de 19 a 21 horas.',
    reworded: ['solo puedo por la tarde', '¿tienen clases de tarde?', 'horario de la tarde'],
    mistyped: ['hay clases por la trade', 'hay classes por la tarde'],
  },
  {
    question: '¿Ofrecen cursos en línea?',
    answer: 'Todos los niveles se ofrecen también en línea, con grupos de seis personas.',
    reworded: ['quiero estudiar en línea', '¿puedo hacer el curso online o en línea?', 'clases en linea'],
    mistyped: ['ofrecen cursos en liena', 'ofrecen cursoss en línea'],
  },
  {
    question: '¿Dan un certificado al final?',
    answer: 'Quien asiste al 80 % de las clases recibe un certificado.',
    reworded: ['necesito un certificado', '¿los certificados son gratis?', 'me dan certificado del curso'],
    mistyped: ['dan un certficado al final', 'dan un certificdo al final'],
  },
  {
    question: '¿Dónde está la escuela?',
    answer: 'En la calle Mayor 15, al lado de la estación.',
    reworded: ['¿cuál es la dirección de la escuela?', 'la escuela está cerca de la estación?', 'cómo llego a la escuela'],
    mistyped: ['donde esta la escula', 'donde esta la escuel'],
  },
  {
    question: '¿Puedo cambiar de grupo?',
    answer: 'Puede cambiar de grupo durante la primera semana si hay plazas.',
    reworded: ['quiero cambiarme a otro grupo', 'cambio de grupo', '¿hay plazas en otros grupos?'],
    mistyped: ['puedo cambair de grupo', 'puedo cambiar de gurpo'],
  },
  {
    question: '¿Devuelven el dinero si no puedo asistir?',
    answer: 'Devolvemos el 50 % hasta una semana antes del comienzo.',
    reworded: ['quiero que me devuelvan el dinero', 'no puedo asistir, ¿me devuelven algo?', 'devolver el dinero del curso'],
    mistyped: ['devuelven el dinreo si no puedo asistir', 'debuelven el dinero'],
  },
  {
    question: '¿Qué nivel tengo?',
    answer: 'Haga la prueba de nivel en nuestra página. Dura veinte minutos.',
    reworded: ['¿cómo sé mi nivel?', 'prueba de nivel', 'no conozco mi nivel de español'],
    mistyped: ['que nivle tengo', 'que nivel tegno'],
  },
  {
    question: '¿Aceptan niños?',
    answer: 'Tenemos grupos para niños desde los seis años, los sábados.',
    reworded: ['mi hijo es un niño de ocho años', '¿hay cursos para niños?', 'niños pequeños, ¿los aceptan?'],
    mistyped: ['aceptan nños', 'acpetan niños'],
  },
  {
    question: '¿Ayudan con el alojamiento?',
    answer: 'Buscamos alojamiento en familias o en residencias.',
    reworded: ['necesito alojamiento', '¿puedo vivir con una familia?', 'alojamientos para estudiantes'],
    mistyped: ['ayudan con el alojameinto', 'ayudan con el aljoamiento'],
  },
];

/** Messages that no FAQ of the school answers. */
export const spanishOffTopic: readonly string[] = [
  '¿Venden unicornios?',
  '¿Quién ganó el partido ayer?',
  'Te quiero',
  '¿Qué tiempo hará mañana?',
  'Cuéntame un chiste',
  'Mi vecino toca la trompeta por la noche',
];
