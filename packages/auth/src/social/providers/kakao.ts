import type { OAuth2Record } from '../oauth2/record.ts'

/** Kakao. */
export const kakao = {
  id: 'kakao',
  name: 'Kakao',
  protocol: 'oauth2',
  source: 'https://developers.kakao.com/docs/latest/en/kakaologin/rest-api',
  endpoints: {
    authorize: 'https://kauth.kakao.com/oauth/authorize',
    token: 'https://kauth.kakao.com/oauth/token',
    profile: 'https://kapi.kakao.com/v2/user/me',
  },
  person: {
    uid: 'id',
    email: 'kakao_account.email',
    emailVerified: 'kakao_account.is_email_verified',
    username: 'kakao_account.profile.nickname',
  },
} satisfies OAuth2Record
