import { flag, type Kind, kind, listOf } from './kind.ts'
import { setting, type Setting } from './setting.ts'

/** The app that turns on each module, by the module's group of settings. */
export const MODULE_APPS = {
  socialaccount: 'gatepost.socialaccount',
  mfa: 'gatepost.mfa',
  headless: 'gatepost.headless',
  usersessions: 'gatepost.usersessions',
  idpOidc: 'gatepost.idp.oidc',
} as const

/** Django's app for the site table. */
export const SITES_APP = 'django.contrib.sites'

const PRODUCT = /^(?:gatepost|authpkg|allauth)(?=\.|$)/
const KNOWN: readonly string[] = ['gatepost', 'gatepost.account', ...Object.values(MODULE_APPS)]
const PROVIDER = /^gatepost\.socialaccount\.providers\.[a-z0-9_]+$/

/** An app of this package under any product prefix, or as the path of its configuration class; or a foreign app. */
const app: Kind<string> = kind<string>(
  "an app of this package, such as gatepost.mfa, or another package's app",
  MODULE_APPS.mfa,
  (value) => {
    if (typeof value !== 'string' || !/^[A-Za-z_][\w.]{0,199}$/.test(value)) return undefined
    if (!PRODUCT.test(value)) return value
    const own = value.replace(PRODUCT, 'gatepost').replace(/\.apps\.\w+$/, '')
    return KNOWN.includes(own) || PROVIDER.test(own) ? own : undefined
  },
)

/** The apps of a site. */
export const installedApps: Setting<readonly string[], readonly string[] | ReadonlySet<string>> = setting({
  name: 'INSTALLED_APPS',
  kind: listOf(app, 'apps'),
  fallback: [],
  about:
    'Apps of a site, as in its old settings. Each app of this package turns on its module, and django.contrib.sites turns on SITES_ENABLED, unless their own settings say otherwise. Apps of other packages are ignored.',
})

/** Defines a setting that is on by default if an app is in INSTALLED_APPS. */
export const appSwitch = (name: string, app: string, about: string = 'Enables the module.'): Setting<boolean> =>
  setting({
    name,
    kind: flag,
    fallback: (get) => get(installedApps).includes(app),
    fallbackText: `whether INSTALLED_APPS lists ${app}`,
    about,
  })
