import type { AnyCommand, Command } from './command.ts'

/** Erases the argument type. The program reads values by the command's own `args`, so they match what `run` expects. */
const any = <A>(command: Command<A>): AnyCommand => ({
  ...command,
  run: (args, io) => command.run(args as A, io), // read by `command.args`, which `A` decides key by key
})

/** Every command by name (one or two words), in the order of the overview. A command is loaded only when it runs. */
export const COMMANDS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  serve: async () => any((await import('./commands/serve.ts')).serve),
  demo: async () => any((await import('./commands/demo.ts')).demo),
  setup: async () => any((await import('./setup/setup.ts')).setup),
  status: async () => any((await import('./commands/channels.ts')).status),
  enable: async () => any((await import('./commands/channels.ts')).enable),
  disable: async () => any((await import('./commands/channels.ts')).disable),
  reconfigure: async () => any((await import('./commands/reconfigure.ts')).reconfigure),
  doctor: async () => any((await import('./commands/doctor.ts')).doctor),
  send: async () => any((await import('./commands/users.ts')).send),
  users: async () => any((await import('./commands/users.ts')).users),
  messages: async () => any((await import('./commands/messages.ts')).messages),
  deliveries: async () => any((await import('./commands/messages.ts')).deliveries),
  login: async () => any((await import('./commands/login.ts')).login),
  logout: async () => any((await import('./commands/login.ts')).logout),
  invite: async () => any((await import('./commands/accounts.ts')).invite),
  'accounts list': async () => any((await import('./commands/accounts.ts')).accountsList),
  'accounts update': async () => any((await import('./commands/accounts.ts')).accountsUpdate),
  'accounts reset-mfa': async () => any((await import('./commands/accounts.ts')).accountsResetMfa),
  'token create': async () => any((await import('./commands/tokens.ts')).tokenCreate),
  'token list': async () => any((await import('./commands/tokens.ts')).tokenList),
  'token revoke': async () => any((await import('./commands/tokens.ts')).tokenRevoke),
  'clients list': async () => any((await import('./commands/clients.ts')).clientsList),
  'clients create': async () => any((await import('./commands/clients.ts')).clientsCreate),
  'clients update': async () => any((await import('./commands/clients.ts')).clientsUpdate),
  'clients renew-secret': async () => any((await import('./commands/clients.ts')).clientsRenewSecret),
  'clients remove': async () => any((await import('./commands/clients.ts')).clientsRemove),
  'keys rotate': async () => any((await import('./commands/keys.ts')).keysRotate),
  'auth check-database': async () => any((await import('./commands/check-database.ts')).authCheckDatabase),
  'auth migrate': async () => any((await import('./commands/migrate.ts')).authMigrate),
  'auth seal': async () => any((await import('./commands/secret-form.ts')).authSeal),
  'auth unseal': async () => any((await import('./commands/secret-form.ts')).authUnseal),
}
