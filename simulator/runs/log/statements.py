"""Frequent queries, compiled to SQL once per process, so that each execution only fills in its values.

Django builds the SQL of a query every time, which takes longer than the database takes to answer; runners, sockets and pages execute the
same few queries hundreds of times a second. A statement is written like any other query, with a ``Given`` in place of each value that is
passed at execution, and returns what the query would return.
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
"""Rows per INSERT: SQLite accepts at least a thousand values."""
Row = TypeVar("Row")
Params = Sequence[Any]


class Given(Expression):
    """A placeholder for a value that is passed under this name at each execution, of the type of ``output_field``."""

    allowed_default = True

    def __init__(self, name: str, output_field: "Field[Any, Any]", *, is_stored: bool = False) -> None:
        """``is_stored``: the value is stored in that column, rather than compared with it."""
        super().__init__(output_field=output_field)
        self.name, self.is_stored = name, is_stored

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Compile to a placeholder, with the expression itself as the parameter."""
        return "%s", (self,)

    def ready(self, given: Mapping[str, Any], connection: Any) -> Any:
        """The value prepared for the database. Raises KeyError if it was not given."""
        if self.is_stored:
            return self.output_field.get_db_prep_save(given[self.name], connection)
        return self.output_field.get_db_prep_value(given[self.name], connection, prepared=False)


RUN, EPOCH = Given("run", UUIDField()), Given("epoch", IntegerField())
"""The run, and the epoch of its owner."""


def among(column: str, name: str, output_field: "Field[Any, Any]", count: int) -> In:
    """A condition for ``filter``: the column is one of ``count`` values, ``name0`` and so on (see ``numbered``)."""
    return In(F(column), [Given(f"{name}{number}", output_field) for number in range(count)])


def numbered(name: str, values: Sequence[Any], count: int) -> dict[str, Any]:
    """Between one and ``count`` values under the names that ``among`` uses; the last one is repeated to fill the rest."""
    return {f"{name}{number}": values[min(number, len(values) - 1)] for number in range(count)}


def places_for(count: int) -> int:
    """``count`` rounded up to a power of two, so that only a few different statements are compiled."""
    return 1 << (count - 1).bit_length() if count > 1 else 1


def compile_written() -> None:
    """Compile all statements that the modules imported so far have written: processes forked afterwards need not, 20 ms each. Opens no
    connection."""
    for compile_one in [*_WRITTEN]:
        compile_one()


_WRITTEN: list[Callable[[], None]] = []


class Statement(Generic[Row]):
    """A query for rows. ``build`` is called once per database vendor, on the first execution."""

    def __init__(self, build: "Callable[[], QuerySet[Any, Row]]") -> None:
        self._build = build
        self._made: dict[str, tuple[QuerySet[Any, Row], SQLCompiler, str, Params]] = {}
        _WRITTEN.append(self.compile)

    def rows(self, **given: Any) -> list[Row]:
        """The rows for these values. One query."""
        connection = connections[DEFAULT_DB_ALIAS]
        template, compiler, sql, params = self._of(connection)
        answering = copy(compiler)
        answering.connection, answering.using = connection, DEFAULT_DB_ALIAS
        filled = tuple(_filled(params, given, connection))
        answering.as_sql = lambda *_, **__: (sql, filled)  # type: ignore[method-assign]  # the only part that varies
        asked: QuerySet[Any, Row] = QuerySet(template.model, _Answering(template.query, answering), DEFAULT_DB_ALIAS)  # type: ignore[arg-type]
        asked._iterable_class, asked._fields = template._iterable_class, template._fields  # type: ignore[attr-defined]
        return list(asked)

    def compile(self) -> None:
        """Compile it for the site's database now rather than at the first execution. Opens no connection."""
        self._of(connections[DEFAULT_DB_ALIAS])

    def first(self, **given: Any) -> Row | None:
        """The first row, or None. One query, which reads all rows."""
        return next(iter(self.rows(**given)), None)

    def _of(self, connection: Any) -> "tuple[QuerySet[Any, Row], SQLCompiler, str, Params]":
        if connection.vendor not in self._made:
            template = self._build()
            compiler = template.query.get_compiler(connection=connection)
            sql, params = compiler.as_sql()
            compiler.connection = None  # a connection belongs to a thread, which may end
            self._made[connection.vendor] = template, compiler, sql, params
        return self._made[connection.vendor]


class ChangeStatement:
    """An UPDATE: ``build`` returns the rows and the new values of their columns."""

    def __init__(self, build: "Callable[[], tuple[QuerySet[Any], Mapping[str, Any]]]") -> None:
        self._build = build
        self._made: dict[str, tuple[str, Params]] = {}
        _WRITTEN.append(self.compile)

    def compile(self) -> None:
        """Compile it for the site's database now rather than at the first execution. Opens no connection."""
        self._of(connections[DEFAULT_DB_ALIAS])

    def made(self, **given: Any) -> int:
        """Execute the update with these values; return how many rows matched. One query."""
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
    """An INSERT whose rows are prepared before the transaction, so that the database's lock is held no longer than the writing takes, even
    by a process of low priority."""

    def __init__(self, model: type[Model]) -> None:
        self._model = model

    def ready(self, rows: Sequence[Model]) -> list[tuple[Any, ...]]:
        """Prepare the values of new rows for the database."""
        connection = connections[DEFAULT_DB_ALIAS]
        fields = self._fields()
        return [tuple(field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields) for row in rows]

    def made(self, ready: Sequence[tuple[Any, ...]]) -> None:
        """Insert the prepared rows. Raises IntegrityError if one already exists."""
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
        """The columns except the primary key, which the database assigns."""
        return [field for field in self._model._meta.concrete_fields if not field.primary_key]


class _Answering:
    """A query that is already compiled. Everything else is delegated to the query."""

    def __init__(self, query: Query, compiler: SQLCompiler) -> None:
        self._query, self._compiler = query, compiler

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        """Return the compiler that has the values."""
        return self._compiler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._query, name)


def _stored(model: type[Model], column: str, value: Any) -> Any:
    """Have a ``Given`` value prepared by its column's field, like any other value that is stored."""
    if type(value) is not Given:
        return value
    field = model._meta.get_field(column)
    assert isinstance(field, Field), "only columns are updated"
    return Given(value.name, field, is_stored=True)


def _filled(params: Params, given: Mapping[str, Any], connection: Any) -> list[Any]:
    return [each.ready(given, connection) if isinstance(each, Given) else each for each in params]
