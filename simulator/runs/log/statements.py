"""Queries that are asked all the time: their SQL is made once in a process, and each asking only fills in its values.

Django builds the SQL of a query anew every time, which takes longer than the database takes to answer; runners, sockets and pages ask the
same few questions hundreds of times a second. A statement is written as any
other query, with a ``Given`` wherever a value comes with the asking, and gives what the query would give.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Expression, F, Field, IntegerField, Model, QuerySet, UUIDField
from django.db.models.lookups import In
from django.db.models.sql import Query, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

ROWS_AT_ONCE = 100
"""New rows of one statement: SQLite takes a thousand values at least."""
Row = TypeVar("Row")
Params = Sequence[Any]


class Given(Expression):
    """A value that comes with each asking under this name, of the kind that ``output_field`` holds."""

    allowed_default = True

    def __init__(self, name: str, output_field: "Field[Any, Any]", *, is_stored: bool = False) -> None:
        """``is_stored``: it becomes the value of that column, rather than being looked for."""
        super().__init__(output_field=output_field)
        self.name, self.is_stored = name, is_stored

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """A place for the value; the expression itself stands for it among the parameters."""
        return "%s", (self,)

    def ready(self, given: Mapping[str, Any], connection: Any) -> Any:
        """The value as the database takes it. Raises KeyError where none was given."""
        if self.is_stored:
            return self.output_field.get_db_prep_save(given[self.name], connection)
        return self.output_field.get_db_prep_value(given[self.name], connection, prepared=False)


RUN, EPOCH = Given("run", UUIDField()), Given("epoch", IntegerField())
"""Which run is asked about, and under which owner's epoch."""


def among(column: str, name: str, output_field: "Field[Any, Any]", count: int) -> In:
    """That a column is one of ``count`` values, ``name0`` and so on: see ``numbered``. For ``filter``."""
    return In(F(column), [Given(f"{name}{number}", output_field) for number in range(count)])


def numbered(name: str, values: Sequence[Any], count: int) -> dict[str, Any]:
    """At least one and at most ``count`` values under the names of ``among``; the last one fills what is left."""
    return {f"{name}{number}": values[min(number, len(values) - 1)] for number in range(count)}


def places_for(count: int) -> int:
    """For how many values a statement is made that is asked with ``count``: few different ones are made in all."""
    return 1 << (count - 1).bit_length() if count > 1 else 1


class Statement(Generic[Row]):
    """A query for rows. ``build`` is called once for each kind of database, when the statement is first asked."""

    def __init__(self, build: "Callable[[], QuerySet[Any, Row]]") -> None:
        self._build = build
        self._made: dict[str, tuple[QuerySet[Any, Row], SQLCompiler, str, Params]] = {}

    def rows(self, **given: Any) -> list[Row]:
        """What the query gives for these values. One query."""
        connection = connections[DEFAULT_DB_ALIAS]
        template, compiler, sql, params = self._of(connection)
        answering = copy(compiler)
        answering.connection, answering.using = connection, DEFAULT_DB_ALIAS
        filled = tuple(_filled(params, given, connection))
        answering.as_sql = lambda *_, **__: (sql, filled)  # type: ignore[method-assign]  # all that is made anew by each asking
        asked: QuerySet[Any, Row] = QuerySet(template.model, _Answering(template.query, answering), DEFAULT_DB_ALIAS)  # type: ignore[arg-type]
        asked._iterable_class, asked._fields = template._iterable_class, template._fields  # type: ignore[attr-defined]
        return list(asked)

    def first(self, **given: Any) -> Row | None:
        """The first row, None where there is none. One query, of all rows."""
        return next(iter(self.rows(**given)), None)

    def _of(self, connection: Any) -> "tuple[QuerySet[Any, Row], SQLCompiler, str, Params]":
        if connection.vendor not in self._made:
            template = self._build()
            compiler = template.query.get_compiler(connection=connection)
            sql, params = compiler.as_sql()
            compiler.connection = None  # it belongs to a thread that ends some day
            self._made[connection.vendor] = template, compiler, sql, params
        return self._made[connection.vendor]


class ChangeStatement:
    """An update of rows: ``build`` gives which, and what their columns become."""

    def __init__(self, build: "Callable[[], tuple[QuerySet[Any], Mapping[str, Any]]]") -> None:
        self._build = build
        self._made: dict[str, tuple[str, Params]] = {}

    def made(self, **given: Any) -> int:
        """Make the change with these values; how many rows it met. One query."""
        connection = connections[DEFAULT_DB_ALIAS]
        sql, params = self._of(connection)
        with transaction.mark_for_rollback_on_error(using=DEFAULT_DB_ALIAS), connection.cursor() as cursor:
            cursor.execute(sql, tuple(_filled(params, given, connection)))
            return int(cursor.rowcount)

    def _of(self, connection: Any) -> tuple[str, Params]:
        if connection.vendor not in self._made:
            rows, columns = self._build()
            query: Any = rows.query.chain(UpdateQuery)
            query.add_update_values({name: _stored(rows.model, name, value) for name, value in columns.items()})
            query.clear_select_clause()
            self._made[connection.vendor] = query.get_compiler(connection=connection).as_sql()
        return self._made[connection.vendor]


class InsertStatement:
    """Rows of a table that are made ready before the transaction that writes them: whoever has the lock of the database, at whatever
    priority, has it for no longer than the rows take."""

    def __init__(self, model: type[Model]) -> None:
        self._model = model

    def ready(self, rows: Sequence[Model]) -> list[tuple[Any, ...]]:
        """The values of new rows as the database takes them."""
        connection = connections[DEFAULT_DB_ALIAS]
        fields = self._fields()
        return [tuple(field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields) for row in rows]

    def made(self, ready: Sequence[tuple[Any, ...]]) -> None:
        """Write them. Raises IntegrityError where one is there already."""
        if not ready:
            return
        connection = connections[DEFAULT_DB_ALIAS]
        quoted = connection.ops.quote_name
        columns = ", ".join(quoted(str(field.column)) for field in self._fields())
        head = f"INSERT INTO {quoted(self._model._meta.db_table)} ({columns}) VALUES "
        row = f"({', '.join(['%s'] * len(self._fields()))})"
        with transaction.mark_for_rollback_on_error(using=DEFAULT_DB_ALIAS), connection.cursor() as cursor:
            for start in range(0, len(ready), ROWS_AT_ONCE):
                part = ready[start : start + ROWS_AT_ONCE]
                cursor.execute(head + ", ".join([row] * len(part)), [value for values in part for value in values])

    def _fields(self) -> "list[Field[Any, Any]]":
        """The columns but for the number that the database gives."""
        return [field for field in self._model._meta.concrete_fields if not field.primary_key]


class _Answering:
    """A query that is compiled already. The rest is the query's own."""

    def __init__(self, query: Query, compiler: SQLCompiler) -> None:
        self._query, self._compiler = query, compiler

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        """As of the query; always the one that has the values."""
        return self._compiler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._query, name)


def _stored(model: type[Model], column: str, value: Any) -> Any:
    """A value that comes with the asking passes the door of its column, as any other that is stored does."""
    if type(value) is not Given:
        return value
    field = model._meta.get_field(column)
    assert isinstance(field, Field), "only columns are updated"
    return Given(value.name, field, is_stored=True)


def _filled(params: Params, given: Mapping[str, Any], connection: Any) -> list[Any]:
    return [each.ready(given, connection) if isinstance(each, Given) else each for each in params]
