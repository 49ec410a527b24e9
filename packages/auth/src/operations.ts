/**
 * The types of all modules' operations, from which the client's types are derived. To delete a module, delete its
 * folder and its lines here and in compose.ts.
 */
interface Tables {
  headless: typeof import('./headless/operations/table.ts').HEADLESS_OPERATIONS
  account: typeof import('./account/operations/table.ts').ACCOUNT_OPERATIONS
  mfa: typeof import('./mfa/operations/table.ts').MFA_OPERATIONS
  social: typeof import('./social/operations/table.ts').SOCIAL_OPERATIONS
  sessions: typeof import('./sessions/operations/table.ts').SESSION_OPERATIONS
}

type AnyTable = Tables[keyof Tables]
type NameIn<Table> = Table extends unknown ? keyof Table : never
type RowNamed<Table, Name> = Table extends unknown ? (Name extends keyof Table ? Table[Name] : never) : never

/** The operations' rows by name. */
export type OperationRows = { readonly [Name in NameIn<AnyTable>]: RowNamed<AnyTable, Name> }
