import type { Shapes } from '../shape.ts'
import { oauth2 } from './parts.ts'

/** Banks, brokers and payments. */
export const MONEY_SHAPES: Shapes = {
  coinbase: oauth2(
    [
      'https://www.coinbase.com/oauth/authorize',
      'https://www.coinbase.com/oauth/token',
      'https://api.coinbase.com/v2/user',
    ],
    'query:access_token',
    {
      emailScope: 'wallet:user:email',
      profileReply: (who) => ({
        id: who.id,
        name: who.fullName,
        email: who.email,
        time_zone: 'UTC',
        native_currency: 'EUR',
      }),
      expected: (who) => ({ uid: who.id, email: who.email }),
    },
  ),
  dwolla: oauth2(
    [
      'https://www.dwolla.com/oauth/v2/authenticate',
      'https://www.dwolla.com/oauth/v2/token',
      'https://api.dwolla.com/accounts/{account}',
    ],
    'bearer',
    {
      alsoAt: [['www.dwolla.com', 'uat.dwolla.com']],
      scopeDelimiter: '|',
      tokenReply: (standard, who, call) => ({
        ...standard,
        account_id: who.id,
        _links: { account: { href: call.at(`https://api.dwolla.com/accounts/${who.id}`) } },
      }),
      profileHeaders: { accept: /application\/vnd\.dwolla\.v1\.hal\+json/ },
      profileType: 'application/vnd.dwolla.v1.hal+json',
      profileReply: (who) => ({ _links: {}, id: who.id, name: who.fullName }),
      expected: (who) => ({ uid: who.id, name: who.fullName }),
    },
  ),
  questrade: oauth2(
    [
      'https://login.questrade.com/oauth2/authorize',
      'https://login.questrade.com/oauth2/token',
      'https://api01.iq.questrade.com/v1/accounts',
    ],
    'bearer',
    {
      tokenReply: (standard, _who, call) => ({ ...standard, api_server: call.at('https://api01.iq.questrade.com/') }),
      profileReply: (who) => ({
        userId: who.number,
        accounts: [{ type: 'Margin', number: '123456', status: 'Active' }],
      }),
      expected: (who) => ({ uid: String(who.number) }),
    },
  ),
  robinhood: oauth2(
    [
      'https://www.robinhood.com/oauth2/authorize/',
      'https://api.robinhood.com/oauth2/token/',
      'https://api.robinhood.com/user/id/',
    ],
    'bearer',
    {
      profileReply: (who) => ({ url: 'https://api.robinhood.com/user/id/', id: who.id, username: who.username }),
      expected: (who) => ({ uid: who.id, username: who.username }),
    },
  ),
  stocktwits: oauth2(
    [
      'https://api.stocktwits.com/api/2/oauth/authorize',
      'https://api.stocktwits.com/api/2/oauth/token',
      'https://api.stocktwits.com/api/2/streams/user/{user_id}.json',
    ],
    'none',
    {
      scopeDelimiter: ',',
      tokenReply: (standard, who) => ({ ...standard, user_id: who.number, username: who.username }),
      profileCheck: ({ path }) => path['user_id'] !== '',
      profileReply: (who) => ({
        response: { status: 200 },
        user: { id: who.number, username: who.username, name: who.fullName, identity: 'User' },
        messages: [],
      }),
      expected: (who) => ({ uid: String(who.number), name: who.fullName }),
    },
  ),
  stripe: oauth2(
    [
      'https://connect.stripe.com/oauth/authorize',
      'https://connect.stripe.com/oauth/token',
      'https://api.stripe.com/v1/accounts/{stripe_user_id}',
    ],
    'bearer',
    {
      tokenReply: (standard, who) => ({ ...standard, stripe_user_id: who.id, livemode: false, token_type: 'bearer' }),
      profileCheck: ({ path }, { person }) => path['stripe_user_id'] === person.id,
      profileReply: (who) => ({
        id: who.id,
        object: 'account',
        email: who.email,
        display_name: who.fullName,
        country: 'DE',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.fullName }),
    },
  ),
  ynab: oauth2(
    [
      'https://app.youneedabudget.com/oauth/authorize',
      'https://app.youneedabudget.com/oauth/token',
      'https://api.youneedabudget.com/v1/user',
    ],
    'bearer',
    {
      profileReply: (who) => ({ data: { user: { id: who.id } } }),
      expected: (who) => ({ uid: who.id }),
    },
  ),
}
