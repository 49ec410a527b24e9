import { AuthError } from '../../errors.ts'
import type { Exchange } from '../exchange.ts'
import { PROVIDER_ENTRIES } from './provider-entries.ts'
import type { ProviderEntry } from './provider-entry.ts'
import type { ProviderRecord, ProviderData } from './provider-record.ts'

export { PROVIDER_ENTRIES }

const ENTRIES: ReadonlyMap<string, ProviderEntry> = new Map(PROVIDER_ENTRIES.map((entry) => [entry.id, entry]))

/** Returns a provider's entry and record, loaded on first use. @throws {AuthError} `not_found` */
export async function providerRecord(id: string): Promise<ProviderRecord> {
  const entry = ENTRIES.get(id)
  const load = Object.hasOwn(PROVIDER_RECORDS, id) ? PROVIDER_RECORDS[id] : undefined
  if (entry === undefined || load === undefined) {
    throw new AuthError('not_found', { message: `No provider is called ${id}.` })
  }
  return { ...entry, ...(await load()) }
}

/** Returns the exchange of a provider's protocol, loaded on first use. */
export async function loadExchange(record: ProviderRecord): Promise<Exchange> {
  switch (record.protocol) {
    case 'oauth2':
      return (await import('../oauth2/exchange.ts')).oauth2Exchange(record)
    case 'oauth1':
      return (await import('../oauth1/exchange.ts')).oauth1Exchange(record)
    case 'oidc':
      return (await import('../openid-connect/exchange.ts')).oidcExchange(record)
    case 'custom':
      return (await import('../custom/exchange.ts')).customExchange(record)
    case 'openid2':
      return (await import('../openid2/exchange.ts')).openid2Exchange(record)
    case 'saml':
      return (await import('../saml/exchange.ts')).samlExchange(record)
  }
}

/** Loaders of each provider's record, because most sites need only a few. */
export const PROVIDER_RECORDS: Readonly<Record<string, () => Promise<ProviderData>>> = {
  '500px': async () => (await import('../providers/500px.ts')).fiveHundredPx,
  agave: async () => (await import('../providers/agave.ts')).agave,
  amazon: async () => (await import('../providers/amazon.ts')).amazon,
  amazon_cognito: async () => (await import('../providers/amazon-cognito.ts')).amazonCognito,
  apple: async () => (await import('../providers/apple.ts')).apple,
  asana: async () => (await import('../providers/asana.ts')).asana,
  atlassian: async () => (await import('../providers/atlassian.ts')).atlassian,
  auth0: async () => (await import('../providers/auth0.ts')).auth0,
  authentiq: async () => (await import('../providers/authentiq.ts')).authentiq,
  baidu: async () => (await import('../providers/baidu.ts')).baidu,
  basecamp: async () => (await import('../providers/basecamp.ts')).basecamp,
  battlenet: async () => (await import('../providers/battlenet.ts')).battlenet,
  bitbucket_oauth2: async () => (await import('../providers/bitbucket-oauth2.ts')).bitbucketOauth2,
  bitly: async () => (await import('../providers/bitly.ts')).bitly,
  box: async () => (await import('../providers/box.ts')).box,
  cilogon: async () => (await import('../providers/cilogon.ts')).cilogon,
  clever: async () => (await import('../providers/clever.ts')).clever,
  coinbase: async () => (await import('../providers/coinbase.ts')).coinbase,
  dataporten: async () => (await import('../providers/dataporten.ts')).dataporten,
  Daum: async () => (await import('../providers/daum.ts')).daum,
  digitalocean: async () => (await import('../providers/digitalocean.ts')).digitalocean,
  dingtalk: async () => (await import('../providers/dingtalk.ts')).dingtalk,
  discogs: async () => (await import('../providers/discogs.ts')).discogs,
  discord: async () => (await import('../providers/discord.ts')).discord,
  disqus: async () => (await import('../providers/disqus.ts')).disqus,
  douban: async () => (await import('../providers/douban.ts')).douban,
  doximity: async () => (await import('../providers/doximity.ts')).doximity,
  draugiem: async () => (await import('../providers/draugiem.ts')).draugiem,
  drip: async () => (await import('../providers/drip.ts')).drip,
  dropbox: async () => (await import('../providers/dropbox.ts')).dropbox,
  dummy: async () => (await import('../providers/dummy.ts')).dummy,
  dwolla: async () => (await import('../providers/dwolla.ts')).dwolla,
  edmodo: async () => (await import('../providers/edmodo.ts')).edmodo,
  edx: async () => (await import('../providers/edx.ts')).edx,
  eventbrite: async () => (await import('../providers/eventbrite.ts')).eventbrite,
  eveonline: async () => (await import('../providers/eveonline.ts')).eveonline,
  evernote: async () => (await import('../providers/evernote.ts')).evernote,
  exist: async () => (await import('../providers/exist.ts')).exist,
  facebook: async () => (await import('../providers/facebook.ts')).facebook,
  feedly: async () => (await import('../providers/feedly.ts')).feedly,
  feishu: async () => (await import('../providers/feishu.ts')).feishu,
  figma: async () => (await import('../providers/figma.ts')).figma,
  flickr: async () => (await import('../providers/flickr.ts')).flickr,
  foursquare: async () => (await import('../providers/foursquare.ts')).foursquare,
  frontier: async () => (await import('../providers/frontier.ts')).frontier,
  fxa: async () => (await import('../providers/fxa.ts')).fxa,
  gitea: async () => (await import('../providers/gitea.ts')).gitea,
  github: async () => (await import('../providers/github.ts')).github,
  gitlab: async () => (await import('../providers/gitlab.ts')).gitlab,
  globus: async () => (await import('../providers/globus.ts')).globus,
  google: async () => (await import('../providers/google.ts')).google,
  gumroad: async () => (await import('../providers/gumroad.ts')).gumroad,
  hubic: async () => (await import('../providers/hubic.ts')).hubic,
  hubspot: async () => (await import('../providers/hubspot.ts')).hubspot,
  instagram: async () => (await import('../providers/instagram.ts')).instagram,
  jupyterhub: async () => (await import('../providers/jupyterhub.ts')).jupyterhub,
  kakao: async () => (await import('../providers/kakao.ts')).kakao,
  lemonldap: async () => (await import('../providers/lemonldap.ts')).lemonldap,
  lichess: async () => (await import('../providers/lichess.ts')).lichess,
  line: async () => (await import('../providers/line.ts')).line,
  linkedin_oauth2: async () => (await import('../providers/linkedin-oauth2.ts')).linkedinOauth2,
  mailchimp: async () => (await import('../providers/mailchimp.ts')).mailchimp,
  mailcow: async () => (await import('../providers/mailcow.ts')).mailcow,
  mailru: async () => (await import('../providers/mailru.ts')).mailru,
  mediawiki: async () => (await import('../providers/mediawiki.ts')).mediawiki,
  meetup: async () => (await import('../providers/meetup.ts')).meetup,
  microsoft: async () => (await import('../providers/microsoft.ts')).microsoft,
  miro: async () => (await import('../providers/miro.ts')).miro,
  naver: async () => (await import('../providers/naver.ts')).naver,
  netiq: async () => (await import('../providers/netiq.ts')).netiq,
  nextcloud: async () => (await import('../providers/nextcloud.ts')).nextcloud,
  notion: async () => (await import('../providers/notion.ts')).notion,
  odnoklassniki: async () => (await import('../providers/odnoklassniki.ts')).odnoklassniki,
  okta: async () => (await import('../providers/okta.ts')).okta,
  openid: async () => (await import('../providers/openid.ts')).openid,
  openid_connect: async () => (await import('../providers/openid-connect.ts')).openidConnect,
  openstreetmap: async () => (await import('../providers/openstreetmap.ts')).openstreetmap,
  orcid: async () => (await import('../providers/orcid.ts')).orcid,
  patreon: async () => (await import('../providers/patreon.ts')).patreon,
  paypal: async () => (await import('../providers/paypal.ts')).paypal,
  pinterest: async () => (await import('../providers/pinterest.ts')).pinterest,
  pocket: async () => (await import('../providers/pocket.ts')).pocket,
  questrade: async () => (await import('../providers/questrade.ts')).questrade,
  quickbooks: async () => (await import('../providers/quickbooks.ts')).quickbooks,
  reddit: async () => (await import('../providers/reddit.ts')).reddit,
  robinhood: async () => (await import('../providers/robinhood.ts')).robinhood,
  salesforce: async () => (await import('../providers/salesforce.ts')).salesforce,
  saml: async () => (await import('../providers/saml.ts')).saml,
  sharefile: async () => (await import('../providers/sharefile.ts')).sharefile,
  shopify: async () => (await import('../providers/shopify.ts')).shopify,
  slack: async () => (await import('../providers/slack.ts')).slack,
  snapchat: async () => (await import('../providers/snapchat.ts')).snapchat,
  soundcloud: async () => (await import('../providers/soundcloud.ts')).soundcloud,
  spotify: async () => (await import('../providers/spotify.ts')).spotify,
  stackexchange: async () => (await import('../providers/stackexchange.ts')).stackexchange,
  steam: async () => (await import('../providers/steam.ts')).steam,
  stocktwits: async () => (await import('../providers/stocktwits.ts')).stocktwits,
  strava: async () => (await import('../providers/strava.ts')).strava,
  stripe: async () => (await import('../providers/stripe.ts')).stripe,
  telegram: async () => (await import('../providers/telegram.ts')).telegram,
  tiktok: async () => (await import('../providers/tiktok.ts')).tiktok,
  trainingpeaks: async () => (await import('../providers/trainingpeaks.ts')).trainingpeaks,
  trello: async () => (await import('../providers/trello.ts')).trello,
  tumblr: async () => (await import('../providers/tumblr.ts')).tumblr,
  tumblr_oauth2: async () => (await import('../providers/tumblr-oauth2.ts')).tumblrOauth2,
  twentythreeandme: async () => (await import('../providers/twentythreeandme.ts')).twentythreeandme,
  twitch: async () => (await import('../providers/twitch.ts')).twitch,
  twitter: async () => (await import('../providers/twitter.ts')).twitter,
  twitter_oauth2: async () => (await import('../providers/twitter-oauth2.ts')).twitterOauth2,
  untappd: async () => (await import('../providers/untappd.ts')).untappd,
  vimeo: async () => (await import('../providers/vimeo.ts')).vimeo,
  vimeo_oauth2: async () => (await import('../providers/vimeo-oauth2.ts')).vimeoOauth2,
  vk: async () => (await import('../providers/vk.ts')).vk,
  wahoo: async () => (await import('../providers/wahoo.ts')).wahoo,
  weibo: async () => (await import('../providers/weibo.ts')).weibo,
  weixin: async () => (await import('../providers/weixin.ts')).weixin,
  windowslive: async () => (await import('../providers/windowslive.ts')).windowslive,
  xing: async () => (await import('../providers/xing.ts')).xing,
  yahoo: async () => (await import('../providers/yahoo.ts')).yahoo,
  yandex: async () => (await import('../providers/yandex.ts')).yandex,
  ynab: async () => (await import('../providers/ynab.ts')).ynab,
  zoho: async () => (await import('../providers/zoho.ts')).zoho,
  zoom: async () => (await import('../providers/zoom.ts')).zoom,
}
