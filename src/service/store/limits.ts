import {
  LimitNode,
  OffsetNode,
  type OperationNodeSource,
  PostgresQueryCompiler,
  SqliteDialect,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/** The limit of a statement that is written as text: `` sql`select … ${limitTo(count)}` ``. */
export function limitTo(count: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(count)) };
}

/** The offset of a statement that is written as text. */
export function offsetBy(count: number): OperationNodeSource {
  return { toOperationNode: () => OffsetNode.create(ValueNode.create(count)) };
}

/** Compiles limits as expressions. SQLite plans a statement again for each value of a parameter that is a limit. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit (');
    this.visitNode(limit);
    this.append(' + 0)');
  }
}

/** The dialect of SQLite with plans that serve any limit. */
export class SqliteLimitDialect extends SqliteDialect {
  override createQueryCompiler(): SqliteCompiler {
    return new SqliteCompiler();
  }
}

/**
 * Compiles limits as subqueries, so that the plan of a list is independent of them. Without statistics, PostgreSQL expects so few
 * rows that a limit seems to take all of them, and sorts the whole table instead of reading it in the order of an index.
 */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit (select ');
    this.visitNode(limit);
    this.append('::bigint)');
  }

  protected override visitOffset({ offset }: OffsetNode): void {
    this.append('offset (select ');
    this.visitNode(offset);
    this.append('::bigint)');
  }
}
