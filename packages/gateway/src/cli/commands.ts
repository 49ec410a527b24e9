import type { AnyCommand, Command } from './command.ts'

/** The program reads the values by the command's own `args`, so they are what its `run` asks for. */
const any = <A>(command: Command<A>): AnyCommand => ({
  ...command,
  run: (args, io) => command.run(args as A, io), // read by `command.args`, which `A` decides key by key
})

/** Every command by its name, of one word or two, in the order of the overview; only the one that is run is loaded. */
export const COMMANDS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  serve: async () => any((await import('./serve.ts')).serve),
  demo: async () => any((await import('./demo.ts')).demo),
  setup: async () => any((await import('./setup/setup.ts')).setup),
  status: async () => any((await import('./status.ts')).status),
  enable: async () => any((await import('./enable.ts')).enable),
  disable: async () => any((await import('./disable.ts')).disable),
  reconfigure: async () => any((await import('./reconfigure.ts')).reconfigure),
  doctor: async () => any((await import('./doctor.ts')).doctor),
  send: async () => any((await import('./send.ts')).send),
  users: async () => any((await import('./users.ts')).users),
  messages: async () => any((await import('./messages.ts')).messages),
  deliveries: async () => any((await import('./deliveries.ts')).deliveries),
  login: async () => any((await import('./login.ts')).login),
  logout: async () => any((await import('./logout.ts')).logout),
  invite: async () => any((await import('./invite.ts')).invite),
  'accounts list': async () => any((await import('./accounts-list.ts')).accountsList),
  'accounts update': async () => any((await import('./accounts-update.ts')).accountsUpdate),
  'accounts reset-mfa': async () => any((await import('./accounts-reset-mfa.ts')).accountsResetMfa),
  'token create': async () => any((await import('./token-create.ts')).tokenCreate),
  'token list': async () => any((await import('./token-list.ts')).tokenList),
  'token revoke': async () => any((await import('./token-revoke.ts')).tokenRevoke),
  'clients list': async () => any((await import('./clients-list.ts')).clientsList),
  'clients create': async () => any((await import('./clients-create.ts')).clientsCreate),
  'clients update': async () => any((await import('./clients-update.ts')).clientsUpdate),
  'clients renew-secret': async () => any((await import('./clients-renew-secret.ts')).clientsRenewSecret),
  'clients remove': async () => any((await import('./clients-remove.ts')).clientsRemove),
  'auth check-database': async () => any((await import('./auth-check-database.ts')).authCheckDatabase),
}
