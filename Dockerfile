# One image for every service; the command names the one to run: `node scripts/run-app.mjs gateway`.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY libs/ libs/
COPY apps/ apps/
COPY prisma/ prisma/
COPY scripts/ scripts/
COPY prisma.config.ts tsconfig.json tsconfig.base.json ./
RUN node scripts/build.mjs && npm prune --omit=dev --no-audit --no-fund && touch .build-stamp/packaged

FROM node:20-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 COUNTERSIGN_HOME=/var/lib/countersign
RUN mkdir -p /var/lib/countersign && chown node:node /var/lib/countersign
COPY --from=build /app /app
USER node
VOLUME /var/lib/countersign
ENTRYPOINT ["node", "--max-semi-space-size=32", "scripts/run-app.mjs"]
CMD ["gateway"]
