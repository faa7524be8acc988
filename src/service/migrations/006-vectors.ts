import { migration } from '../store/migration.ts';

/** Vectors of passages as bytes, and the model that they were last prepared for. They are made again. */
export const vectors = migration('0.3.0 vectors', ({ bytes }) => [
  'alter table service_state add column embedding_model text',
  'drop table faq_vectors',
  `create table faq_vectors (
    faq_seq bigint not null, passage bigint not null, model text not null, vector ${bytes} not null, primary key (faq_seq, passage),
    foreign key (faq_seq, passage) references faq_passages (faq_seq, passage) on delete cascade)`,
]);
